module kubets-interop-go-x509

go 1.26.0
