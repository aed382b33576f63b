/** Why the user was sent to the sign-in, as the URL says it; other values show nothing. */
export const signInReasons = {
  'session-expired': 'Your session has ended. Sign in to continue where you left off.',
  'another-person': 'Someone else is signed in in this browser now. Sign in to continue as yourself.',
  'another-tenant':
    'You’re no longer a member of the place this page belongs to, or you switched to another one. Sign in again, or:',
  idle: 'You were signed out because you were inactive.',
  'signed-out': 'You’re signed out.',
  'signed-out-everywhere': 'You’re signed out on all devices.',
  'password-changed': 'Your password was changed. Sign in with the new one.',
  'password-set': 'Your password is set. Sign in with it.',
  'email-changed': 'Your email address was changed. Sign in with the new one.',
  'registration-disabled': 'This appliance doesn’t accept registrations. Ask its administrator for an account.',
} as const

export type SignInReason = keyof typeof signInReasons
export const signInReasonNames = Object.keys(signInReasons) as SignInReason[]

/** The browser is signed in as somebody else now, so the user decides whether to go on as them. */
export const isReplacedSession = (reason: string | undefined): boolean =>
  reason === 'another-person' || reason === 'another-tenant'

export const challengeLost = 'The page was reloaded, so sign-in starts over. Enter your password.'
export const challengeExpired = 'That took too long. Start over with your password.'
