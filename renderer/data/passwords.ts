import { queryOptions } from '@tanstack/react-query'
import {
  checkResetLink,
  checkUnlockLink,
  forgotPassword,
  resetPassword,
  unlockAccount,
} from '../../shared/api/passwords.ts'
import { api } from '../lib/api.ts'

export const requestPasswordReset = {
  mutationFn: (body: { email: string }) => api.call(forgotPassword, { body }),
}

/** `token` is that of the mailed link; undefined where the page was opened without one. */
export const resetLinkQuery = (token: string | undefined) =>
  queryOptions({
    queryKey: ['reset-link', token],
    queryFn: () => api.call(checkResetLink, { body: { token: token ?? '' } }),
    enabled: Boolean(token),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

export const setPasswordByLink = (token: string | undefined) => ({
  mutationFn: ({ password }: { password: string }) =>
    api.call(resetPassword, { body: { token: token ?? '', password } }),
})

export const unlockLinkQuery = (token: string | undefined) =>
  queryOptions({
    queryKey: ['link', 'unlock', token],
    queryFn: () => api.call(checkUnlockLink, { body: { token: token ?? '' } }),
    enabled: Boolean(token),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

export const unlockByLink = (token: string | undefined) => ({
  mutationFn: () => api.call(unlockAccount, { body: { token: token ?? '' } }),
})
