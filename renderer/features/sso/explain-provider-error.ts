/** Errors of the appliance about an identity provider, with their explanation. The first match counts. */
const meanings: [error: RegExp, words: string][] = [
  [
    /could not be resolved/,
    'There is no server of this name, as far as the appliance can tell. Check how the address is spelled, and the DNS server of the appliance.',
  ],
  [
    /not allowed/,
    'The server is in a private network. Homeport asks such a server only when it is listed, with this port, on the machine of the appliance: in sso-trust.json, or in the desktop app under “Appliance”.',
  ],
  [/for other names/, 'The certificate of the server was made for another name. Use the name that stands in it.'],
  [/has expired/, 'The certificate of the server has expired. It has to be renewed there.'],
  [
    /authority that counts/,
    'The appliance does not know who issued the certificate of the server. If it is your own authority, it has to be named for this server on the machine of the appliance: in sso-trust.json, or in the desktop app under “Appliance”.',
  ],
  [/TLS 1\.2/, 'The server does not offer a secure connection at this address. Check the name and the port.'],
  [
    /in time|within \d+ seconds/,
    'The server did not answer in time. Check the address, and whether a firewall keeps the appliance from reaching it.',
  ],
  [/more than 1 MiB/, 'The server answered with far more than an identity provider would. Check the address.'],
  [/redirect/, 'The address leads on to another one. Enter the address that it ends at.'],
  [
    /answered 40[13]/,
    'The server does not tell the appliance about itself. Whoever runs it has to allow that without a sign-in.',
  ],
  [
    /answered 404/,
    'The server knows nothing of single sign-on at this address. Check the issuer: often a part is missing, such as the realm or the tenant.',
  ],
  [/answered 5\d\d/, 'The server has trouble of its own. Try again later.'],
  [
    /is no discovery document/,
    'A server is there, but what it answers is not from an identity provider. Check the issuer.',
  ],
  [
    /speaks for many tenants/,
    'This address is for every customer of the provider, and any of them could claim to be your people. Enter the one with the id of your own tenant.',
  ],
  [
    /names another issuer/,
    'The server calls itself by another address. If that one is yours as well, enter it exactly as the server writes it.',
  ],
  [/has no usable/, 'The server does not tell all that is needed. Set the missing address by hand, under “Advanced”.'],
  [/placeholder/, 'Put your own value in place of what stands in braces.'],
  [/must begin with https/, 'The address has to begin with https://.'],
  [/must not hold|is not an address|already holds/, 'This address can not be used. Enter it as the provider shows it.'],
  [
    /could not be reached/,
    'The appliance has no way to this server. Check the address and the port, and whether a firewall is in between.',
  ],
]

/** What went wrong and what to do; null for an unknown error. */
export const explainProviderError = (error: string): string | null =>
  meanings.find(([pattern]) => pattern.test(error))?.[1] ?? null

/** The part after the colon. */
export const providerErrorReason = (error: string): string =>
  error.replace(/^OIDC discovery failed(?: for issuer "[^"]*")?: /, '')
