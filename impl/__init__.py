"""What is computed: fields, controls, flows, readouts and constants, on any device and in any dtype."""
