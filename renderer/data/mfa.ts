import { queryOptions, useIsMutating } from '@tanstack/react-query'
import { authMe } from '../../shared/api/auth.ts'
import {
  enrollmentOptions,
  mfaEnable,
  mfaSetup,
  phoneConfirm,
  phoneVerify,
  type StepUpOperation,
  smsEnable,
  smsSend,
  stepUp,
  stepUpOptions,
  stepUpSms,
} from '../../shared/api/mfa.ts'
import { listPasskeys, passkeyRegisterOptions, passkeyRegisterVerify } from '../../shared/api/passkeys.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { ApiError } from '../lib/api-error.ts'
import { askPasskey, makePasskey, withPasskeyErrors } from '../lib/passkeys.ts'
import { queryClient } from '../lib/query-client.ts'
import { meQuery } from '../lib/session.ts'
import { UserFacingError } from '../lib/user-facing-error.ts'

export const ownAccountQuery = queryOptions({
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

export const factorsChanged = () => queryClient.invalidateQueries({ queryKey: meQuery.queryKey })

/** Ends every other session of the user; this one goes on with the tokens in the answer. */
function goOn<Reply extends { tokens: { accessToken: string } }>(reply: Reply): Reply {
  api.signIn(reply.tokens.accessToken)
  return reply
}

/** What makes a new factor; nothing may interrupt it, or the recovery codes in its answer are lost. */
export const enrollmentMutationKey = ['enroll-factor']

export const useIsEnrolling = (): boolean => useIsMutating({ mutationKey: enrollmentMutationKey }) > 0

/** In another window or on another device somebody was faster: what is shown of the account is out of date. */
const overtakenBy = (error: Error) =>
  error instanceof ApiError && (error.code === 'mfa_already_enabled' || error.code === 'mfa_setup_missing')
    ? factorsChanged()
    : undefined

// A page that was loaded again goes on with the QR code that may have been scanned already.
export const startAppEnrollment = {
  mutationFn: (replace: boolean) => api.call(mfaSetup, { body: { replace, resume: true } }),
  onError: overtakenBy,
}

export const finishAppEnrollment = {
  mutationKey: enrollmentMutationKey,
  mutationFn: async (code: string) => {
    const reply = await api.call(mfaEnable, { body: { code } }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.body.reason !== 'superseded') throw error
      throw new UserFacingError('That code belongs to an earlier QR code. Scan the one shown last.')
    })
    return goOn(reply).recoveryCodes
  },
  onError: overtakenBy,
}

/** The server keeps a challenge for five minutes. */
const reuseChallengeMs = 4 * 60_000

/**
 * Makes a passkey of a name. Whoever cancels the prompt of the browser may try again with the same challenge, and need
 * not show anew who they are. The recovery codes come with the first factor only; an empty list otherwise.
 */
export function createPasskeyEnrollment() {
  let asked: { options: ReplyOf<typeof passkeyRegisterOptions>['options']; until: number } | null = null
  return async (name: string): Promise<string[]> => {
    if (!asked || asked.until < Date.now()) {
      const { options } = await api.call(passkeyRegisterOptions, { body: { name } })
      asked = { options, until: Date.now() + reuseChallengeMs }
    }
    const credential = await makePasskey(asked.options)
    // Used up by the answer, whatever becomes of it.
    asked = null
    const { tokens, recoveryCodes } = await api.call(passkeyRegisterVerify, { body: { credential, name } })
    if (tokens) api.signIn(tokens.accessToken)
    return recoveryCodes ?? []
  }
}

export const sendPhoneCode = {
  mutationFn: (phoneNumber: string) => api.call(phoneVerify, { body: { phoneNumber } }),
}

export const confirmPhone = {
  mutationFn: (body: { phoneNumber: string; code: string }) => api.call(phoneConfirm, { body }),
}

export const enableSms = {
  mutationKey: enrollmentMutationKey,
  mutationFn: async (replace: boolean) => goOn(await api.call(smsEnable, { body: { replace } })).recoveryCodes,
  onError: overtakenBy,
}

/** Sends the text message of a sign-in's second step. */
export const sendChallengeCode = (tempToken: string) => ({
  mutationFn: () => api.call(smsSend, { body: { tempToken } }),
})

export const sendStepUpCode = { mutationFn: () => api.call(stepUpSms, {}) }

// The session counts as confirmed afterwards, which is all that the console needs; the grant is for other clients.
export const stepUpWithCode = (method: 'totp' | 'sms') => ({
  mutationFn: async (code: string) => goOn(await api.call(stepUp, { body: { method, code } })),
})

/** A passkey shown again; the answer carries a grant for the operation. */
export async function stepUpWithPasskey(operation: StepUpOperation) {
  const { options } = await api.call(stepUpOptions, {})
  const credential = await askPasskey(options)
  return goOn(await withPasskeyErrors(api.call(stepUp, { body: { method: 'passkey', credential, operation } })))
}

export const passkeyStepUpMutation = { mutationFn: () => stepUpWithPasskey('add_factor') }
