import { queryOptions } from '@tanstack/react-query'
import { authMe } from '../../../shared/api/auth.ts'
import { mfaEnable, mfaSetup } from '../../../shared/api/mfa.ts'
import { api } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'
import { meQuery } from '../../lib/session.ts'

export const accountQuery = queryOptions({
  queryKey: ['me', 'account'],
  queryFn: async ({ signal }) => (await api.call(authMe, {}, signal)).user,
})

export const beginFactor = { mutationFn: () => api.call(mfaSetup, {}) }

/** Ends every other session of the user; this one goes on with the tokens in the answer. */
export const enableFactor = {
  mutationFn: async (code: string) => {
    const { tokens, recoveryCodes } = await api.call(mfaEnable, { body: { code } })
    api.signIn(tokens.accessToken)
    return recoveryCodes
  },
}

export const factorChanged = () => queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
