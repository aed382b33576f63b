import { queryOptions, skipToken, useSuspenseQuery } from '@tanstack/react-query'
import { login, logout, mfaVerify, type SignOutReach } from '../../shared/api/auth.ts'
import type { GoodbyeReason } from '../../shared/api/events.ts'
import { acceptInvite } from '../../shared/api/invitations.ts'
import { enterMembership } from '../../shared/api/memberships.ts'
import { mfaPasskeyOptions, mfaPasskeyVerify, passkeyLogin, passkeyLoginOptions } from '../../shared/api/passkeys.ts'
import { type Me, preferences, usersMe } from '../../shared/api/profile.ts'
import { publicConfig, verifyEmail } from '../../shared/api/registration.ts'
import { ssoExchange } from '../../shared/api/sso-sign-in.ts'
import { bootstrap, bootstrapState } from '../../shared/api/system.ts'
import type { BodyOf, InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { api, tellOtherTabs } from './api.ts'
import { browserTimeFormat, setFormats } from './format.ts'
import { setLetterKeys } from './letter-keys.ts'
import { askPasskey, withPasskeyErrors } from './passkeys.ts'
import { queryClient } from './query-client.ts'
import { isSameUser, userInToken } from './session-user.ts'

/** The user's preferences; unknown values are left out. */
export const preferencesOf = (me: Me) => preferences.catch({}).parse(me.preferences)

/** The user's preference overrides the partner's. */
export const timeFormatOf = (me: Me) => preferencesOf(me).timeFormat ?? me.partnerTimeFormat ?? browserTimeFormat()

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const me = await api.call(usersMe, {}, signal)
    setLetterKeys(preferencesOf(me).letterKeys ?? true)
    setFormats({ dateFormat: me.partnerDateFormat, timeFormat: timeFormatOf(me) })
    return me
  },
  staleTime: 300_000,
  // Permissions may have changed meanwhile.
  refetchOnWindowFocus: 'always',
})

/** The signed-in user, loaded before any page behind the sign-in is rendered. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data

/** Whether the account has a password that can be used. */
export const usesPassword = ({ hasPassword, isPasswordClosed }: Me): boolean => hasPassword && !isPasswordClosed

export const setupNeededQuery = queryOptions({
  queryKey: ['appliance', 'bootstrap'],
  queryFn: async ({ signal }) => (await api.call(bootstrapState, {}, signal)).needed,
})

/** What the appliance offers before the sign-in, at the current address. */
export const publicConfigQuery = queryOptions({
  queryKey: ['appliance', 'config'],
  queryFn: ({ signal }) => api.call(publicConfig, {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
})

export type Challenge = Extract<ReplyOf<typeof login>, { mfaRequired: true }>

/** Null if signed in, else the challenge to answer. */
export async function signIn(body: BodyOf<typeof login>): Promise<Challenge | null> {
  const reply = await api.call(login, { body })
  if (reply.mfaRequired) return reply
  beginSession(reply.tokens.accessToken)
  return null
}

/** Whether the session began with a recovery code, which is used up. */
export const recoveryCodeSpentQuery = queryOptions({
  queryKey: ['recovery-code-spent'],
  queryFn: skipToken,
  initialData: false,
})

export async function answerChallenge(body: BodyOf<typeof mfaVerify> & { tempToken: string }) {
  const { tokens } = await api.call(mfaVerify, { body })
  beginSession(tokens.accessToken)
  if (body.method === 'recovery') queryClient.setQueryData(recoveryCodeSpentQuery.queryKey, true)
}

export async function answerWithPasskey(tempToken: string) {
  const { options } = await api.call(mfaPasskeyOptions, { body: { tempToken } })
  const credential = await askPasskey(options)
  const { tokens } = await withPasskeyErrors(api.call(mfaPasskeyVerify, { body: { tempToken, credential } }))
  beginSession(tokens.accessToken)
}

/** `ask` lets the user choose a passkey: in the browser's dialog, or in the suggestions of a field. */
export async function signInWithPasskey(ask: typeof askPasskey) {
  const { options } = await api.call(passkeyLoginOptions, {})
  const credential = await ask(options)
  const { tokens } = await api.call(passkeyLogin, { body: { credential } })
  beginSession(tokens.accessToken)
}

/** Limit for waiting at the end of a single sign-on. */
const ssoTimeoutMs = 8000

/** Redeems the one-time code of a single sign-on; it replaces whatever session the refresh cookie stands for. */
export const redeemSsoCode = (code: string): Promise<void> =>
  api.insteadOfRefresh(async () => {
    const { accessToken } = await api.call(ssoExchange, { body: { code } }, AbortSignal.timeout(ssoTimeoutMs))
    beginSession(accessToken)
  })

export type VerifiedLink = ReplyOf<typeof verifyEmail>

/** Redeems a mailed link: completing a registration signs in, changing the address signs out. */
export async function followMailLink(token: string): Promise<VerifiedLink> {
  const reply = await api.call(verifyEmail, { body: { token } })
  if (reply.purpose === 'registration') beginSession(reply.tokens.accessToken)
  if (reply.purpose === 'email_change') forgetSession('email-changed')
  return reply
}

/** Sets the password of an invited account; false if it cannot be signed in now. */
export async function acceptInvitation(body: BodyOf<typeof acceptInvite>): Promise<boolean> {
  const { tokens } = await api.call(acceptInvite, { body })
  if (tokens) beginSession(tokens.accessToken)
  return tokens !== null
}

/** Moves the session to another tenant; other tabs are told. */
export async function switchTenant(membershipId: string) {
  const { tokens } = await api.call(enterMembership, { params: { id: membershipId } })
  beginSession(tokens.accessToken)
}

export async function bootstrapAppliance(body: InputOf<typeof bootstrap>['body']) {
  const { tokens } = await api.call(bootstrap, { body })
  beginSession(tokens.accessToken)
  queryClient.setQueryData(setupNeededQuery.queryKey, false)
  await queryClient.invalidateQueries({ queryKey: publicConfigQuery.queryKey })
}

function beginSession(accessToken: string) {
  const person = userInToken(accessToken)
  const former = api.owner()
  if (!former || !isSameUser(former, person)) forgetUser()
  api.signIn(accessToken)
  tellOtherTabs({ signedIn: person })
}

/** The user who is signed in in this browser; null for nobody. */
export const signedInUserQuery = queryOptions({
  queryKey: ['link', 'visitor'],
  queryFn: async () => ((await api.restore()) ? api.owner() : null),
  retry: false,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
})

/** Ends this session or every session of the user on the server, and this one locally even if the server is unreachable. */
export async function signOut(reach: SignOutReach) {
  try {
    await api.call(logout, { query: { reach } })
  } finally {
    api.signOut()
    tellOtherTabs(signOutReason(reach))
  }
}

export const signOutReason = (reach: SignOutReach) => (reach === 'session' ? 'signed-out' : 'signed-out-everywhere')

/** For a session that the server has ended already. */
export function forgetSession(reason: GoodbyeReason) {
  api.signOut()
  forgetUser()
  tellOtherTabs(reason)
}

// Keeps the public data of the appliance and the replies to links that work once.
const forgetUser = () =>
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'appliance' && queryKey[0] !== 'link' })
