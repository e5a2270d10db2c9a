"""Pure array functions: no classes, no estimators, nothing from other rooms."""
