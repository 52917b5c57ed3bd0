/**
 * For tests of who is refused: certificates of clients, for a hundred years if nothing else is said, and nobody's secrets. Made by `openssl ca` with the
 * authority of `test-certificate.ts`, but for the first one.
 */

/** Of another authority, which has the same name as ours; it says what `workerCertificate` says. */
export const strangerCertificate = {
  key: Buffer.from(`-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMfOJu19peo0cZW+e
j7yrqz8gDum/1nF/H3OsoANi3zGhRANCAASzgQFN4rc+q4bxqsti1sPhZtUR+/Id
vfcOmRMvCFBdIj9sncPrG3EMgq1hIhih+KqcXWy2kgPjSfxBHu86kqY8
-----END PRIVATE KEY-----
`),
  certificate: Buffer.from(`-----BEGIN CERTIFICATE-----
MIIBhDCCASugAwIBAgICEAAwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxo
b3N0MCAXDTI2MTExNTAwMDAwMFoYDzIxMjYxMDIyMDAwMDAwWjATMREwDwYDVQQD
DAh3b3JrZXItNzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLOBAU3itz6rhvGq
y2LWw+Fm1RH78h299w6ZEy8IUF0iP2ydw+sbcQyCrWEiGKH4qpxdbLaSA+NJ/EEe
7zqSpjyjbDBqMBMGA1UdEQQMMAqCCHdvcmtlci03MBMGA1UdJQQMMAoGCCsGAQUF
BwMCMB0GA1UdDgQWBBTR0fgqPfSM5Gs/4j9m6MRxT/6y+jAfBgNVHSMEGDAWgBRu
QFBETaMNBta+aFGfFtlgUx7qFzAKBggqhkjOPQQDAgNHADBEAiAehZzJWJx3i4LX
ji8Bpqtx8luijtKQnmr/6ZLM4pQXVgIgAg9Xf5arrovbE5yf2nTKg5j51NnhrImK
BOxUwOvl/ds=
-----END CERTIFICATE-----
`),
};

/** Of our authority, for a day of 2020. */
export const expiredCertificate = {
  key: Buffer.from(`-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglRi6/Owigx8N8sUi
NU/fQRGfhbMAA97nx+w+/dcMnbWhRANCAATbTBU44Zrrcr+RfV/1bD79o6qJMweh
fopzoHjKofyRlxVDGc9Nfr6WViGswaR3G65ffeMfUYsJZCd0ugI5aVRK
-----END PRIVATE KEY-----
`),
  certificate: Buffer.from(`-----BEGIN CERTIFICATE-----
MIIBgzCCASmgAwIBAgICEAIwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxo
b3N0MB4XDTIwMDEwMTAwMDAwMFoXDTIwMDEwMjAwMDAwMFowEzERMA8GA1UEAwwI
d29ya2VyLTcwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATbTBU44Zrrcr+RfV/1
bD79o6qJMwehfopzoHjKofyRlxVDGc9Nfr6WViGswaR3G65ffeMfUYsJZCd0ugI5
aVRKo2wwajATBgNVHREEDDAKggh3b3JrZXItNzATBgNVHSUEDDAKBggrBgEFBQcD
AjAdBgNVHQ4EFgQUswXCJBtHXaR1u5nujxyi0UcvOfwwHwYDVR0jBBgwFoAUVhcT
m7GjZwSTC8t9G3hfK4+Re8cwCgYIKoZIzj0EAwIDSAAwRQIhAN039eFs0Jp+iark
cijZ4/q9Te/Owt6rRSvDaaeFGX8SAiB/qtGnDD0pw8govqJJQYwdOVP/1WQogeRP
yQhE6WoMRw==
-----END CERTIFICATE-----
`),
};

/** Of our authority, for servers alone (`extendedKeyUsage=serverAuth`). */
export const serverCertificate = {
  key: Buffer.from(`-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgEVL61oXmxzbd/Bed
53yRl1pN6PFmUCX5xvzE52Jkx4WhRANCAASwkl6D57abLD/GOg/vESte8f6dh4e3
dcftKWGWyco1aBVCPeIwBEEDItB39OGq7C4J86/vkF6epHDt1ItwEyJQ
-----END PRIVATE KEY-----
`),
  certificate: Buffer.from(`-----BEGIN CERTIFICATE-----
MIIBhjCCASugAwIBAgICEAMwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxo
b3N0MCAXDTI2MTExNTAwMDAwMFoYDzIxMjYxMDIyMDAwMDAwWjATMREwDwYDVQQD
DAh3b3JrZXItNzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLCSXoPntpssP8Y6
D+8RK17x/p2Hh7d1x+0pYZbJyjVoFUI94jAEQQMi0Hf04arsLgnzr++QXp6kcO3U
i3ATIlCjbDBqMBMGA1UdEQQMMAqCCHdvcmtlci03MBMGA1UdJQQMMAoGCCsGAQUF
BwMBMB0GA1UdDgQWBBSW1O7yxXNKII5/b3UPxCLPRT5a8DAfBgNVHSMEGDAWgBRW
FxObsaNnBJMLy30beF8rj5F7xzAKBggqhkjOPQQDAgNJADBGAiEAsRvIMT8xqq9i
geKeVI/Km1fCuPqk7OQ45d8VABPaZJsCIQCOqRE9F5hi99Bkx8SrdVQwRmViVj0Q
xo10ktLyvKsCSQ==
-----END CERTIFICATE-----
`),
};

/** Of our authority, with `subjectAltName=URI:cairn:namespaces:billing`: it is `namespace` that is understood. */
export const misspelledCertificate = {
  key: Buffer.from(`-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgn7N/dErhctPTcwZ8
tQPZZkk5oWrXEjopG3n0x+HMvsGhRANCAATo8lOxidfrV+bEmOBLO/ms9tVXfLmL
Xj6SsVatqWNBbijcUOMETUP7qne5oAG/YLYrA4/WBZ0uQsatK9Yw4O8u
-----END PRIVATE KEY-----
`),
  certificate: Buffer.from(`-----BEGIN CERTIFICATE-----
MIIBlDCCATmgAwIBAgICEAEwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxo
b3N0MCAXDTI2MTExNTAwMDAwMFoYDzIxMjYxMDIyMDAwMDAwWjARMQ8wDQYDVQQD
DAZiaWxsZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATo8lOxidfrV+bEmOBL
O/ms9tVXfLmLXj6SsVatqWNBbijcUOMETUP7qne5oAG/YLYrA4/WBZ0uQsatK9Yw
4O8uo3wwejAjBgNVHREEHDAahhhjYWlybjpuYW1lc3BhY2VzOmJpbGxpbmcwEwYD
VR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0OBBYEFGR21+0qkxlnr9UeLB9nqXTy8Kix
MB8GA1UdIwQYMBaAFFYXE5uxo2cEkwvLfRt4XyuPkXvHMAoGCCqGSM49BAMCA0kA
MEYCIQDN3sbUfK/WvxWHnATm+Raz89miJ/+DD7qs9CmkMwSw3QIhALkHEVibBxuz
jL+oEfM9jDv4AgS+nquXa3KurkGC/R1a
-----END CERTIFICATE-----
`),
};
