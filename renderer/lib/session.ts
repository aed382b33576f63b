import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { login, logout, mfaVerify } from '../../shared/api/auth.ts'
import { type Me, usersMe } from '../../shared/api/profile.ts'
import { bootstrap, bootstrapState } from '../../shared/api/system.ts'
import type { BodyOf, InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { api } from './api.ts'
import { queryClient } from './query-client.ts'

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => api.call(usersMe, {}, signal),
  staleTime: 300_000,
})

/** The signed-in user; every page behind the sign-in has it loaded before it is drawn. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data

export const setupNeededQuery = queryOptions({
  queryKey: ['bootstrap'],
  queryFn: async ({ signal }) => (await api.call(bootstrapState, {}, signal)).needed,
})

export type Challenge = Extract<ReplyOf<typeof login>, { mfaRequired: true }>

/** Null when signed in, else what the user has to answer first. */
export async function signIn(body: BodyOf<typeof login>): Promise<Challenge | null> {
  const reply = await api.call(login, { body })
  if (reply.mfaRequired) return reply
  begin(reply.tokens.accessToken)
  return null
}

export async function answerChallenge(body: BodyOf<typeof mfaVerify>) {
  const { tokens } = await api.call(mfaVerify, { body })
  begin(tokens.accessToken)
}

export async function bootstrapAppliance(body: InputOf<typeof bootstrap>['body']) {
  const { tokens } = await api.call(bootstrap, { body })
  begin(tokens.accessToken)
  queryClient.setQueryData(setupNeededQuery.queryKey, false)
}

function begin(accessToken: string) {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'bootstrap' })
  api.signIn(accessToken)
}

/** Ends the session on the server, and here even when the server can not be told. */
export async function signOut() {
  try {
    await api.call(logout, {})
  } finally {
    api.signOut()
  }
}
