import {
  type AuthenticationResponseJSON,
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser'
import { toError } from '../../shared/thrown.ts'
import { ApiError } from './api-error.ts'
import { UserFacingError } from './user-facing-error.ts'

/** As the contracts carry it; the WebAuthn libraries on both sides create and read it. */
type WebAuthnJson = Record<string, unknown>

/** Passkeys need a secure context; elsewhere browsers hide the API. */
export const canUsePasskeys = (): boolean => browserSupportsWebAuthn()

/** Lets the user choose a passkey in the browser's dialog. */
export const askPasskey = (options: WebAuthnJson): Promise<WebAuthnJson> => authenticate(options, false)

/** Offers passkeys in the suggestions of the field marked with `webauthn`, until one is chosen. */
export const suggestPasskeys = (options: WebAuthnJson): Promise<WebAuthnJson> => authenticate(options, true)

export const canSuggestPasskeys = (): Promise<boolean> => browserSupportsWebAuthnAutofill()

/** Cancels the browser's dialog or suggestions. */
export const cancelPasskeyPrompt = () => WebAuthnAbortService.cancelCeremony()

export async function makePasskey(options: WebAuthnJson): Promise<WebAuthnJson> {
  try {
    const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
    return { ...(await startRegistration({ optionsJSON })) }
  } catch (error) {
    throw new UserFacingError(passkeyMessages(error, 'No passkey was created. Try again when you’re ready.'), {
      cause: error,
    })
  }
}

/** Words the server's refusals of a second factor for passkeys instead of codes. */
export async function withPasskeyErrors<T>(reply: Promise<T>): Promise<T> {
  try {
    return await reply
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'mfa_proof_invalid') throw error
    throw new UserFacingError('This passkey couldn’t be verified. Try again, or use another method.', { cause: error })
  }
}

async function authenticate(options: WebAuthnJson, useBrowserAutofill: boolean): Promise<WebAuthnJson> {
  try {
    const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
    const credential: AuthenticationResponseJSON = await startAuthentication({ optionsJSON, useBrowserAutofill })
    return { ...credential }
  } catch (error) {
    throw new UserFacingError(passkeyMessages(error, 'No passkey was used. Try again, or use another method.'), {
      cause: error,
    })
  }
}

/** `otherwise`: browsers do not distinguish declining, a timeout and having no passkey. */
export function passkeyMessages(error: unknown, otherwise: string): string {
  const { name, message } = toError(error)
  if (/certificate/i.test(message))
    return 'Your browser allows passkeys only where it trusts the page’s certificate. Install this appliance’s CA certificate first.'
  if (name === 'SecurityError') return 'Passkeys don’t work at this address. Open Homeport by its host name.'
  if (name === 'InvalidStateError') return 'This device already has a passkey for your account.'
  if (name === 'ConstraintError' || name === 'NotSupportedError')
    return 'This device can’t create a passkey that Homeport accepts. Try another device.'
  return otherwise
}
