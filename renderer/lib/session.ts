import { queryOptions, skipToken, useSuspenseQuery } from '@tanstack/react-query'
import { login, logout, mfaVerify } from '../../shared/api/auth.ts'
import type { SessionEndReason } from '../../shared/api/events.ts'
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
import { askPasskey, judged } from './passkeys.ts'
import { personIn, samePerson } from './person.ts'
import { queryClient } from './query-client.ts'

/** What the user wishes; nothing where another client wrote what this one does not know. */
export const preferencesOf = (me: Me) => preferences.catch({}).parse(me.preferences)

/** The user's own wish goes before the company's. */
export const timeFormatOf = (me: Me) => preferencesOf(me).timeFormat ?? me.partnerTimeFormat ?? browserTimeFormat()

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const me = await api.call(usersMe, {}, signal)
    setFormats({ dateFormat: me.partnerDateFormat, timeFormat: timeFormatOf(me) })
    return me
  },
  staleTime: 300_000,
  // Whoever was given more meanwhile comes back to a page that offers it.
  refetchOnWindowFocus: 'always',
})

/** The signed-in user; every page behind the sign-in has it loaded before it is drawn. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data

/** Whether the account has a password that is good for something. */
export const usesPassword = ({ hasPassword, isPasswordClosed }: Me): boolean => hasPassword && !isPasswordClosed

export const setupNeededQuery = queryOptions({
  queryKey: ['appliance', 'bootstrap'],
  queryFn: async ({ signal }) => (await api.call(bootstrapState, {}, signal)).needed,
})

/** What this appliance offers before the sign-in, at the address it was opened at. */
export const configQuery = queryOptions({
  queryKey: ['appliance', 'config'],
  queryFn: ({ signal }) => api.call(publicConfig, {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
})

export type Challenge = Extract<ReplyOf<typeof login>, { mfaRequired: true }>

/** Null when signed in, else what the user has to answer first. */
export async function signIn(body: BodyOf<typeof login>): Promise<Challenge | null> {
  const reply = await api.call(login, { body })
  if (reply.mfaRequired) return reply
  begin(reply.tokens.accessToken)
  return null
}

/** Whether this session began with a recovery code, of which there is one less now. */
export const recoveryCodeSpentQuery = queryOptions({
  queryKey: ['recovery-code-spent'],
  queryFn: skipToken,
  initialData: false,
})

export async function answerChallenge(body: BodyOf<typeof mfaVerify> & { tempToken: string }) {
  const { tokens } = await api.call(mfaVerify, { body })
  begin(tokens.accessToken)
  if (body.method === 'recovery') queryClient.setQueryData(recoveryCodeSpentQuery.queryKey, true)
}

export async function answerWithPasskey(tempToken: string) {
  const { options } = await api.call(mfaPasskeyOptions, { body: { tempToken } })
  const credential = await askPasskey(options)
  const { tokens } = await judged(api.call(mfaPasskeyVerify, { body: { tempToken, credential } }))
  begin(tokens.accessToken)
}

/** `ask` shows the passkeys to choose from: in a dialog of the browser, or among the suggestions of a field. */
export async function signInWithPasskey(ask: typeof askPasskey) {
  const { options } = await api.call(passkeyLoginOptions, {})
  const credential = await ask(options)
  const { tokens } = await api.call(passkeyLogin, { body: { credential } })
  begin(tokens.accessToken)
}

/** Longer than this nobody waits at the end of a single sign-on. */
const ssoPatienceMs = 8000

/** Begins the session that the one-time code of a single sign-on stands for, whatever the refresh cookie may say. */
export const redeemSsoCode = (code: string): Promise<void> =>
  api.insteadOfRefresh(async () => {
    const { accessToken } = await api.call(ssoExchange, { body: { code } }, AbortSignal.timeout(ssoPatienceMs))
    begin(accessToken)
  })

export type Verified = ReplyOf<typeof verifyEmail>

/** Follows the link of a mail; whoever completes a registration by it is signed in, whoever changes the address is out. */
export async function followMailLink(token: string): Promise<Verified> {
  const reply = await api.call(verifyEmail, { body: { token } })
  if (reply.purpose === 'registration') begin(reply.tokens.accessToken)
  if (reply.purpose === 'email_change') end('email-changed')
  return reply
}

/** Makes the account of an invitation its owner's; false when they can not be signed in to it now. */
export async function acceptInvitation(body: BodyOf<typeof acceptInvite>): Promise<boolean> {
  const { tokens } = await api.call(acceptInvite, { body })
  if (tokens) begin(tokens.accessToken)
  return tokens !== null
}

/** The session goes on in another tenant; pages that show the one before are told to give way. */
export async function enterTenant(membershipId: string) {
  const { tokens } = await api.call(enterMembership, { params: { id: membershipId } })
  begin(tokens.accessToken)
}

export async function bootstrapAppliance(body: InputOf<typeof bootstrap>['body']) {
  const { tokens } = await api.call(bootstrap, { body })
  begin(tokens.accessToken)
  queryClient.setQueryData(setupNeededQuery.queryKey, false)
}

function begin(accessToken: string) {
  const person = personIn(accessToken)
  const former = api.owner()
  if (!former || !samePerson(former, person)) forgetUser()
  api.signIn(accessToken)
  tellOtherTabs({ signedIn: person })
}

/** Who is signed in in this browser, if anybody is. */
export const visitorQuery = queryOptions({
  queryKey: ['link', 'visitor'],
  queryFn: async () => ((await api.restore()) ? api.owner() : null),
  retry: false,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
})

/** Ends every session of the user on the server, and this one here even when the server can not be told. */
export async function signOut() {
  try {
    await api.call(logout, {})
  } finally {
    api.signOut()
    tellOtherTabs('signed-out')
  }
}

/** The server has ended the session already. */
export function end(reason: SessionEndReason) {
  api.signOut()
  forgetUser()
  tellOtherTabs(reason)
}

// What the appliance tells everybody stays, and so does the answer to a link that works once.
const forgetUser = () =>
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'appliance' && queryKey[0] !== 'link' })
