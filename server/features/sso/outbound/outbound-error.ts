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
 * Why an identity provider was not reached or not believed, for whoever set it up. Names the host and the rule, never
 * the address it resolved to: that would draw a map of the network for every tenant.
 */
export class OutboundError extends Error {
  readonly code: OutboundCode

  constructor(code: OutboundCode, message: string) {
    super(message)
    this.name = 'OutboundError'
    this.code = code
  }
}
