/**
 * For tests of TLS: of localhost, for a hundred years, and nobody's secret. Made by `openssl req -x509 -newkey ec -nodes
 * -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -days 36500`.
 */
export const testKey = Buffer.from(`-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtXuCLMHre1uIHqBx
Ua/YOozf7pRLNeF50beLn+fNgF2hRANCAATAL5os35XlpL7zc8MO1zbYXSXof+ZB
eCGeZZjohj0rxfAFoqtJPFZcXFZVMlN8vtPgCcUH4R16QURihYcuynKw
-----END PRIVATE KEY-----
`);

export const testCertificate = Buffer.from(`-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUZLRnMUFspN2wQhuIfmtvvN8ftuowCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTE4MzczMloYDzIxMjYxMDIy
MTgzNzMyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATAL5os35XlpL7zc8MO1zbYXSXof+ZBeCGeZZjohj0rxfAFoqtJPFZc
XFZVMlN8vtPgCcUH4R16QURihYcuynKwo28wbTAdBgNVHQ4EFgQUVhcTm7GjZwST
C8t9G3hfK4+Re8cwHwYDVR0jBBgwFoAUVhcTm7GjZwSTC8t9G3hfK4+Re8cwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAIzWdqPZd0MILAFUAAtizkRinPeGbnv4c3gIVk+KgKSiAiB9
G7hZvanVEXA5dtb0KSP0KMG0yi08YG1G3NQhW/ZL7Q==
-----END CERTIFICATE-----
`);
