import { browserSupportsWebAuthn, startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser'
import { SpokenError } from './spoken-error.ts'

/** Whether this browser makes passkeys at this address; on plain HTTP none does. */
export const browserHasPasskeys = (): boolean => browserSupportsWebAuthn()

type Json = Record<string, unknown>

/** Lets the browser make a passkey for the server's options. */
export const createPasskey = (options: Json): Promise<Json> =>
  inWords(() => startRegistration({ optionsJSON: options as never }))

/** Lets the browser answer the server's challenge with a passkey. */
export const answerWithPasskey = (options: Json): Promise<Json> =>
  inWords(() => startAuthentication({ optionsJSON: options as never }))

async function inWords(ceremony: () => Promise<object>): Promise<Json> {
  try {
    return (await ceremony()) as Json
  } catch (error) {
    throw new SpokenError(wordsOf(error), { cause: error })
  }
}

const words: Partial<Record<WebAuthnError['code'], string>> = {
  ERROR_CEREMONY_ABORTED: 'That was cancelled. Nothing has changed.',
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'This device already holds a passkey for your account.',
  ERROR_INVALID_DOMAIN: 'Passkeys do not work at this address.',
  ERROR_INVALID_RP_ID: 'Passkeys do not work at this address.',
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT:
    'This security key has no PIN. Set one in the settings of your computer, or use another.',
}

function wordsOf(error: unknown): string {
  const known = error instanceof WebAuthnError ? words[error.code] : undefined
  if (known) return known
  // Browsers answer a refusal, a missing passkey and a timeout alike, so that a page learns nothing from it.
  if (error instanceof Error && error.name === 'NotAllowedError')
    return 'The passkey was not used: it was cancelled, took too long, or is not on this device.'
  return 'The browser could not use a passkey.'
}
