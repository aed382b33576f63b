/** Errors of the appliance about an identity provider, with their explanation. The first match counts. */
const meanings: [error: RegExp, words: string][] = [
  [
    /could not be resolved/,
    'The appliance couldn’t resolve this host name. Check the spelling, and the appliance’s DNS server.',
  ],
  [
    /not allowed/,
    'The server is in a private network. Homeport contacts such a server only if it’s listed, with this port, on the appliance itself: in sso-trust.json, or in the desktop app under “Appliance”.',
  ],
  [/for other names/, 'The server’s certificate is for another name. Use the name on the certificate.'],
  [/has expired/, 'The server’s certificate has expired. It has to be renewed there.'],
  [
    /authority that counts/,
    'The appliance doesn’t trust the issuer of the server’s certificate. If it’s your own CA, list it for this server on the appliance itself: in sso-trust.json, or in the desktop app under “Appliance”.',
  ],
  [/TLS 1\.2/, 'The server doesn’t offer a secure connection at this address. Check the name and the port.'],
  [
    /in time|within \d+ seconds/,
    'The server didn’t answer in time. Check the address, and whether a firewall blocks the appliance.',
  ],
  [/more than 1 MiB/, 'The server’s answer was far larger than an identity provider’s would be. Check the address.'],
  [/redirect/, 'The address redirects to another one. Enter the final address.'],
  [
    /answered 40[13]/,
    'The server doesn’t let the appliance read its discovery document. Its operator has to allow that without signing in.',
  ],
  [
    /answered 404/,
    'There’s no discovery document at this address. Check the issuer: often a part is missing, such as the realm or the tenant.',
  ],
  [/answered 5\d\d/, 'The server has a problem. Try again later.'],
  [/is no discovery document/, 'A server answers, but not as an identity provider. Check the issuer.'],
  [
    /speaks for many tenants/,
    'This address serves all customers of the provider, and any of them could claim to be your people. Enter the one with your own tenant ID.',
  ],
  [
    /names another issuer/,
    'The server uses another address for itself. If that one is yours as well, enter it exactly as the server writes it.',
  ],
  [/has no usable/, 'The discovery document is incomplete. Set the missing address manually under “Advanced”.'],
  [/placeholder/, 'Replace the part in braces with your own value.'],
  [/must begin with https/, 'The address must start with https://.'],
  [/must not hold|is not an address|already holds/, 'This address can’t be used. Enter it as the provider shows it.'],
  [
    /could not be reached/,
    'The appliance has no route to this server. Check the address and the port, and firewalls in between.',
  ],
]

/** What went wrong and what to do; null for an unknown error. */
export const explainProviderError = (error: string): string | null =>
  meanings.find(([pattern]) => pattern.test(error))?.[1] ?? null

/** The part after the colon. */
export const providerErrorReason = (error: string): string =>
  error.replace(/^OIDC discovery failed(?: for issuer "[^"]*")?: /, '')
