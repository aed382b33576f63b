/** Why the user was sent to the sign-in, as the URL says it; other values show nothing. */
export const signInReasons = {
  'session-expired': 'Your session has ended. Sign in to go on where you were.',
  'another-person': 'Somebody else is signed in in this browser now. Sign in to go on as yourself.',
  'another-tenant':
    'You do not work any more where this page was: it was closed, or you went on in another place. Sign in anew, or:',
  idle: 'You were signed out because nothing happened for a while.',
  'signed-out': 'You are signed out everywhere: on this device and on every other one.',
  'password-changed': 'Your password is changed. Sign in with the new one.',
  'password-set': 'Your password is set. Sign in with it.',
  'email-changed': 'Your address is changed. Sign in with the new one.',
  'registration-disabled': 'This Homeport does not take registrations. Ask its administrator for an account.',
} as const

export type SignInReason = keyof typeof signInReasons
export const signInReasonNames = Object.keys(signInReasons) as SignInReason[]

/** The browser is signed in as somebody else now, so the user decides whether to go on as them. */
export const isReplacedSession = (reason: string | undefined): boolean =>
  reason === 'another-person' || reason === 'another-tenant'

export const challengeLost = 'The page was loaded anew, so the sign-in starts again. Enter your password.'
export const challengeExpired = 'That took too long. Start again with your password.'
