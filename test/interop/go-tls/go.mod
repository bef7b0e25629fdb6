module kubets-interop-go-tls

go 1.24
