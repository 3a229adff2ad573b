# Terasic DE2-115.

create_clock -name clk -period 20.000 [get_ports CLOCK_50]
derive_clock_uncertainty

# The button (through two registers), the serial line and the lights are asynchronous to the clock.
set_false_path -from [get_ports KEY0]
set_false_path -to [get_ports {UART_TXD LEDG[*]}]
