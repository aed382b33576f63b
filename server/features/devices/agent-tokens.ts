import { randomHex, sha256 } from '../../platform/secrets.ts'

/** `brz_` and 64 hex digits: the form the public agent insists on. */
const newToken = (): string => `brz_${randomHex(32)}`

/** A token for everything that acts for a device, and the columns that let them in and every former one out. */
export function issueTokens(now: string) {
  const tokens = { authToken: newToken(), watchdogAuthToken: newToken(), helperAuthToken: newToken() }
  const columns = {
    agent_token_hash: sha256(tokens.authToken),
    watchdog_token_hash: sha256(tokens.watchdogAuthToken),
    helper_token_hash: sha256(tokens.helperAuthToken),
    token_issued_at: now,
    previous_token_hash: null,
    previous_token_expires_at: null,
    pending_token_hash: null,
    pending_watchdog_token_hash: null,
    pending_helper_token_hash: null,
    pending_token_expires_at: null,
  }
  return { tokens, columns }
}
