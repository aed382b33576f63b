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

/** The API ends every other session of the user; this one continues with the tokens in the reply. */
function continueSession<Reply extends { tokens: { accessToken: string } }>(reply: Reply): Reply {
  api.signIn(reply.tokens.accessToken)
  return reply
}

/** Enrollments must not be interrupted, or the recovery codes in the reply are lost. */
export const enrollmentMutationKey = ['enroll-factor']

export const useIsEnrolling = (): boolean => useIsMutating({ mutationKey: enrollmentMutationKey }) > 0

/** Another window or device was faster, so the account on the page is out of date. */
const refreshIfOutdated = (error: Error) =>
  error instanceof ApiError && (error.code === 'mfa_already_enabled' || error.code === 'mfa_setup_missing')
    ? factorsChanged()
    : undefined

// `resume` keeps the QR code after a reload, because the user may have scanned it already.
export const startAppEnrollment = {
  mutationFn: (replace: boolean) => api.call(mfaSetup, { body: { replace, resume: true } }),
  onError: refreshIfOutdated,
}

export const finishAppEnrollment = {
  mutationKey: enrollmentMutationKey,
  mutationFn: async (code: string) => {
    const reply = await api.call(mfaEnable, { body: { code } }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.body.reason !== 'superseded') throw error
      throw new UserFacingError('That code belongs to an earlier QR code. Scan the one shown last.')
    })
    return continueSession(reply).recoveryCodes
  },
  onError: refreshIfOutdated,
}

/** The server keeps a challenge for five minutes. */
const reuseChallengeMs = 4 * 60_000

/**
 * Returns a function that creates a passkey of a given name. If the user cancels the browser's prompt, the next try
 * uses the same challenge and needs no step-up. Resolves to the recovery codes, which come with the first factor
 * only.
 */
export function createPasskeyEnrollment() {
  let pending: { options: ReplyOf<typeof passkeyRegisterOptions>['options']; until: number } | null = null
  return async (name: string): Promise<string[]> => {
    if (!pending || pending.until < Date.now()) {
      const { options } = await api.call(passkeyRegisterOptions, { body: { name } })
      pending = { options, until: Date.now() + reuseChallengeMs }
    }
    const credential = await makePasskey(pending.options)
    // The reply uses the challenge up, whether it succeeds or not.
    pending = null
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
  mutationFn: async (replace: boolean) =>
    continueSession(await api.call(smsEnable, { body: { replace } })).recoveryCodes,
  onError: refreshIfOutdated,
}

/** Sends the text message of a sign-in's second step. */
export const sendChallengeCode = (tempToken: string) => ({
  mutationFn: () => api.call(smsSend, { body: { tempToken } }),
})

export const sendStepUpCode = { mutationFn: () => api.call(stepUpSms, {}) }

// The session counts as stepped up afterwards; the grant in the reply is for other clients.
export const stepUpWithCode = (method: 'totp' | 'sms') => ({
  mutationFn: async (code: string) => continueSession(await api.call(stepUp, { body: { method, code } })),
})

/** Uses a passkey for a step-up; the reply carries a grant for the operation. */
export async function stepUpWithPasskey(operation: StepUpOperation) {
  const { options } = await api.call(stepUpOptions, {})
  const credential = await askPasskey(options)
  return continueSession(
    await withPasskeyErrors(api.call(stepUp, { body: { method: 'passkey', credential, operation } })),
  )
}

export const passkeyStepUpMutation = { mutationFn: () => stepUpWithPasskey('add_factor') }
