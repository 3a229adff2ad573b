# Terasic DE2-115.

create_clock -name clk -period 20.000 [get_ports CLOCK_50]
derive_clock_uncertainty

# A button that two registers take in, a serial line and lights: no clock outside knows of them.
set_false_path -from [get_ports KEY0]
set_false_path -to [get_ports {UART_TXD LEDG[*]}]
