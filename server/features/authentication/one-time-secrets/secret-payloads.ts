import type { MfaMethods } from '../../../../shared/api/auth.ts'
import type { StepUpOperation } from '../../../../shared/api/mfa.ts'

/**
 * What a one-time secret of each kind stores. Secrets outlive an update of the appliance, so a field that is added has to
 * be optional.
 */
export interface SecretPayloads {
  account_unlock: UnlockLink
  email_verification: AddressLink
  invite: InvitationLink
  mfa_pending: PendingSignIn
  mfa_setup: PendingSetup
  password_reset: ResetLink
  pending_registration: PendingRegistration
  sms_code: SentCode
  stepup_grant: StepUpGrant
  webauthn_auth: Ceremony
  webauthn_reg: RegistrationCeremony
}
export type SecretKind = keyof SecretPayloads

interface UnlockLink {
  email: string
  /** The browser whose lock it releases; null for all unknown ones. */
  browserId: string | null
}

/** Following it proves that the user receives mail at `email`. */
export interface AddressLink {
  purpose: 'email_change' | 'address_proof'
  email: string
  emailEpoch: number
  /** The identity provider of the session that requested it without a password. */
  providerId?: string | null
}

export interface InvitationLink {
  /** Of a membership of an account that is not activated yet, or of an invitation, which becomes a membership. */
  membershipId: string
  /** It was sent by mail, so its holder receives mail at that address. */
  isMailed: boolean
  /** The link only accepts and cannot set a password, because others may have created the account. Missing in older links. */
  needsSignIn?: boolean
}

interface PendingSignIn {
  userId: string
  /** The membership the sign-in is to land in; null for operators. */
  membershipId: string | null
  authEpoch: number
  mfaEpoch: number
  methods: MfaMethods
}

/** The setup of an authenticator app, which waits for a code. */
interface PendingSetup {
  sealed: string
  sessionId: string
  authEpoch: number
  mfaEpoch: number
}

interface ResetLink {
  epoch: number
  email: string
}

/** A registration that waits for its link to be followed; only the hash of the password is stored. */
export interface PendingRegistration {
  companyName: string
  name: string
  email: string
  passwordHash: string
  termsAcceptedAt: string
  ip: string
  userAgent: string | null
}

interface SentCode {
  hash: string
  phoneNumber: string
}

interface StepUpGrant {
  operation: StepUpOperation
  passkeyId: string | null
  sessionId: string
  authEpoch: number
  mfaEpoch: number
}

/** A WebAuthn challenge and the relying party it was issued for. */
export interface Ceremony {
  challenge: string
  origin: string
  rpId: string
}

/** Registering a passkey is bound to a session, and to the factors the account had when it began. */
export interface RegistrationCeremony extends Ceremony {
  name: string | null
  sessionId: string
  mfaEpoch: number
  /** The identity provider of the session, where no password was shown; else null. */
  providerId: string | null
}
