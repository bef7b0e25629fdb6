module kubets.dev/bench/tls

go 1.24
