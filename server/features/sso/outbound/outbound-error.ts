export type OutboundCode =
  | 'SSO_URL'
  | 'SSO_ADDRESS_BLOCKED'
  | 'SSO_DNS'
  | 'SSO_TIMEOUT'
  | 'SSO_TOO_LARGE'
  | 'SSO_TLS'
  | 'SSO_HTTP'
  | 'SSO_DOCUMENT'

/**
 * Why an identity provider was not reached or not trusted, for its administrator. Names the host and the rule, but never the
 * address it resolved to, which would let every tenant map the network of the appliance.
 */
export class OutboundError extends Error {
  readonly code: OutboundCode

  constructor(code: OutboundCode, message: string) {
    super(message)
    this.name = 'OutboundError'
    this.code = code
  }
}
