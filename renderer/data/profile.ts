import { queryOptions } from '@tanstack/react-query'
import { listSessions, type ownSession, revokeOtherSessions, revokeSession } from '../../shared/api/auth.ts'
import { mfaDisable, rotateRecoveryCodes } from '../../shared/api/mfa.ts'
import { deletePasskey, renamePasskey } from '../../shared/api/passkeys.ts'
import { changePassword } from '../../shared/api/passwords.ts'
import { updateMe, withdrawEmail } from '../../shared/api/profile.ts'
import type { BodyOf, InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { meQuery } from '../lib/session.ts'
import { factorsChanged } from './mfa.ts'

export type OwnSession = ReturnType<typeof ownSession.parse>

export const sessionsQuery = queryOptions({
  queryKey: ['me', 'sessions'],
  queryFn: async ({ signal }) => (await api.call(listSessions, {}, signal)).data,
})

const profileChanged = () => queryClient.invalidateQueries({ queryKey: meQuery.queryKey, exact: true })

export const changeProfile = {
  mutationFn: (body: InputOf<typeof updateMe>['body']): Promise<ReplyOf<typeof updateMe>> =>
    api.call(updateMe, { body }),
  onSuccess: profileChanged,
}

export const withdrawNewEmail = { mutationFn: () => api.call(withdrawEmail, {}), onSettled: profileChanged }

export const changeOwnPassword = {
  mutationFn: (body: BodyOf<typeof changePassword>) => api.call(changePassword, { body }),
}

const sessionsChanged = () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })

export const endSession = {
  mutationFn: (id: string) => api.call(revokeSession, { params: { id } }),
  onSettled: sessionsChanged,
}

export const endOtherSessions = { mutationFn: () => api.call(revokeOtherSessions, {}), onSettled: sessionsChanged }

export const renamePasskeyMutation = {
  mutationFn: ({ id, name }: { id: string; name: string }) =>
    api.call(renamePasskey, { params: { id }, body: { name } }),
  onSuccess: factorsChanged,
}

/** The API replaces the session and ends all others. */
export const removePasskey = {
  mutationFn: async ({ id, currentPassword }: { id: string; currentPassword?: string }) => {
    const { tokens } = await api.call(deletePasskey, {
      params: { id },
      body: currentPassword === undefined ? {} : { currentPassword },
    })
    api.signIn(tokens.accessToken)
  },
  onSuccess: factorsChanged,
}

export const newRecoveryCodes = {
  mutationFn: async () => {
    const { tokens, recoveryCodes } = await api.call(rotateRecoveryCodes, {})
    api.signIn(tokens.accessToken)
    return recoveryCodes
  },
  onSuccess: factorsChanged,
}

export const disableMfa = {
  mutationFn: async (body: InputOf<typeof mfaDisable>['body']) => {
    const { tokens } = await api.call(mfaDisable, { body })
    api.signIn(tokens.accessToken)
  },
  onSuccess: factorsChanged,
}
