import { queryOptions } from '@tanstack/react-query'
import { authMe } from '../../../shared/api/auth.ts'
import {
  enrollmentOptions,
  mfaEnable,
  mfaSetup,
  phoneConfirm,
  phoneVerify,
  type StepUpOperation,
  smsEnable,
  stepUp,
  stepUpOptions,
  stepUpSms,
} from '../../../shared/api/mfa.ts'
import { listPasskeys, passkeyRegisterOptions, passkeyRegisterVerify } from '../../../shared/api/passkeys.ts'
import { api } from '../../lib/api.ts'
import { askPasskey, makePasskey } from '../../lib/passkeys.ts'
import { queryClient } from '../../lib/query-client.ts'
import { meQuery } from '../../lib/session.ts'

export const accountQuery = queryOptions({
  queryKey: ['me', 'account'],
  queryFn: async ({ signal }) => (await api.call(authMe, {}, signal)).user,
})

export const passkeysQuery = queryOptions({
  queryKey: ['me', 'passkeys'],
  queryFn: async ({ signal }) => (await api.call(listPasskeys, {}, signal)).passkeys,
})

export const enrollmentOptionsQuery = queryOptions({
  queryKey: ['me', 'enrollment-options'],
  queryFn: ({ signal }) => api.call(enrollmentOptions, {}, signal),
})

export const factorChanged = () => queryClient.invalidateQueries({ queryKey: meQuery.queryKey })

/** Ends every other session of the user; this one goes on with the tokens in the answer. */
function goOn<Reply extends { tokens: { accessToken: string } }>(reply: Reply): Reply {
  api.signIn(reply.tokens.accessToken)
  return reply
}

export const beginApp = { mutationFn: (replace: boolean) => api.call(mfaSetup, { body: { replace } }) }

export const enableApp = {
  mutationFn: async (code: string) => goOn(await api.call(mfaEnable, { body: { code } })).recoveryCodes,
}

/** The recovery codes come with the first factor only; an empty list otherwise. */
export const addPasskey = {
  mutationFn: async (name: string) => {
    const { options } = await api.call(passkeyRegisterOptions, { body: { name } })
    const credential = await makePasskey(options)
    const { tokens, recoveryCodes } = await api.call(passkeyRegisterVerify, { body: { credential, name } })
    if (tokens) api.signIn(tokens.accessToken)
    return recoveryCodes ?? []
  },
}

export const sendPhoneCode = {
  mutationFn: (phoneNumber: string) => api.call(phoneVerify, { body: { phoneNumber } }),
}

export const confirmPhone = {
  mutationFn: (body: { phoneNumber: string; code: string }) => api.call(phoneConfirm, { body }),
}

export const enableSms = {
  mutationFn: async (replace: boolean) => goOn(await api.call(smsEnable, { body: { replace } })).recoveryCodes,
}

export const sendStepUpCode = { mutationFn: () => api.call(stepUpSms, {}) }

// The session counts as confirmed afterwards, which is all that the console needs; the grant is for other clients.
export const stepUpByCode = (method: 'totp' | 'sms') => ({
  mutationFn: async (code: string) => goOn(await api.call(stepUp, { body: { method, code } })),
})

/** A passkey shown again; the answer carries a grant for the operation. */
export async function showPasskey(operation: StepUpOperation) {
  const { options } = await api.call(stepUpOptions, {})
  const credential = await askPasskey(options)
  return goOn(await api.call(stepUp, { body: { method: 'passkey', credential, operation } }))
}

export const stepUpByPasskey = { mutationFn: () => showPasskey('add_factor') }
