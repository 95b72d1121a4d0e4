// An object that needs a function which nobody has.
extern "C" void nobody_has_this();
extern "C" __attribute__((visibility("default"))) void needs_it() { nobody_has_this(); }
