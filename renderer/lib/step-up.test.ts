import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { createContact } from '../../shared/api/contacts.ts'
import { rotateRecoveryCodes } from '../../shared/api/mfa.ts'
import { resetUserMfa } from '../../shared/api/people.ts'
import { ApiClient } from './api-client.ts'
import { ApiError } from './api-error.ts'
import { type StepUpAnswer, type StepUpPrompt, stepUpPromptFor } from './step-up.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

type Body = Record<string, unknown>

/** A server that answers each call by `judge`, and a user who answers prompts by `onProofWanted`. */
async function fixture(
  judge: (body: Body) => [number, string],
  onProofWanted: (question: StepUpPrompt) => Promise<StepUpAnswer | null>,
) {
  const bodies: Body[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const body = JSON.parse(text || '{}') as Body
    bodies.push(body)
    const [status, code] = judge(body)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ code, error: code }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => server.close())
  const asked = vi.fn(onProofWanted)
  const api = new ApiClient({
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    readCsrfToken: () => undefined,
    onEvicted: () => {},
    onBarred: () => {},
    onProofWanted: asked,
  })
  return { api, bodies, asked }
}

const reset = { params: { id: '1' } }

test('a call that needs the second factor waits for it and is repeated', async () => {
  let isConfirmed = false
  const { api, bodies, asked } = await fixture(
    () => (isConfirmed ? [200, 'ok'] : [403, 'MFA_REQUIRED']),
    async () => {
      isConfirmed = true
      return {}
    },
  )
  await expect(api.call(resetUserMfa, reset)).resolves.toMatchObject({ code: 'ok' })
  expect(asked).toHaveBeenCalledExactlyOnceWith({ kind: 'factor', refusal: null })
  expect(bodies).toHaveLength(2)
})

test('a 400 for a wrong password asks for it again, and a 401 does not', () => {
  const refusal = new ApiError(400, 'invalid_credentials')
  expect(stepUpPromptFor(refusal, new Set(['password']))).toEqual({ kind: 'password', refusal })
  expect(stepUpPromptFor(refusal, new Set())).toBeNull()
  expect(stepUpPromptFor(new ApiError(401, 'invalid_credentials'), new Set(['password']))).toBeNull()
})

test('calls at the same time share one prompt', async () => {
  let isConfirmed = false
  const { api, bodies, asked } = await fixture(
    () => (isConfirmed ? [200, 'ok'] : [403, 'MFA_REQUIRED']),
    async () => {
      await expect.poll(() => bodies).toHaveLength(3)
      // Time for the client to read the refusals.
      for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 5))
      isConfirmed = true
      return {}
    },
  )
  await Promise.all([api.call(resetUserMfa, reset), api.call(resetUserMfa, reset), api.call(resetUserMfa, reset)])
  expect(asked).toHaveBeenCalledTimes(1)
})

test('a cancelled prompt rejects the call with the refusal of the server', async () => {
  const { api, bodies } = await fixture(
    () => [403, 'MFA_REQUIRED'],
    async () => null,
  )
  await expect(api.call(resetUserMfa, reset)).rejects.toMatchObject({ status: 403, code: 'MFA_REQUIRED' })
  expect(bodies).toHaveLength(1)
})

test('a server that keeps asking is tried twice, not for ever', async () => {
  const { api, bodies } = await fixture(
    () => [403, 'existing_factor_step_up_required'],
    async () => ({}),
  )
  await expect(api.call(rotateRecoveryCodes, {})).rejects.toMatchObject({ code: 'existing_factor_step_up_required' })
  expect(bodies).toHaveLength(2)
})

test('a password goes with the call, and a wrong one is asked for again', async () => {
  const answers = ['wrong', 'right']
  const { api, bodies, asked } = await fixture(
    ({ currentPassword }) => {
      if (currentPassword === undefined) return [400, 'password_required']
      return currentPassword === 'right' ? [200, 'ok'] : [400, 'invalid_credentials']
    },
    async () => ({ currentPassword: answers.shift() ?? '' }),
  )
  await api.call(rotateRecoveryCodes, {})
  expect(bodies).toEqual([{}, { currentPassword: 'wrong' }, { currentPassword: 'right' }])
  expect(asked.mock.calls.map(([{ refusal }]) => refusal?.code)).toEqual([undefined, 'invalid_credentials'])
})

test('sign_in_again prompts for another sign-in and does not repeat the call', async () => {
  const { api, bodies, asked } = await fixture(
    () => [400, 'sign_in_again'],
    async () => null,
  )
  await expect(api.call(rotateRecoveryCodes, {})).rejects.toMatchObject({ code: 'sign_in_again' })
  expect(bodies).toHaveLength(1)
  expect(asked.mock.calls).toMatchObject([[{ kind: 'sign-in', refusal: { code: 'sign_in_again' } }]])
})

test('a wrong password that the form itself sent opens no prompt', async () => {
  const { api, asked } = await fixture(
    () => [400, 'invalid_credentials'],
    async () => ({ currentPassword: 'x' }),
  )
  await expect(api.call(rotateRecoveryCodes, { body: { currentPassword: 'y' } })).rejects.toMatchObject({ status: 400 })
  expect(asked).not.toHaveBeenCalled()
})

test('a body that breaks the contract is refused before any prompt for a second factor', async () => {
  const { api, asked } = await fixture(
    () => [403, 'MFA_REQUIRED'],
    async () => ({}),
  )
  const contact = { params: { id: '1' }, body: { name: 'Ada', email: 'ada@' } }
  await expect(api.call(createContact, contact)).rejects.toMatchObject({
    status: 400,
    code: 'validation_failed',
    fieldErrors: { email: [expect.stringMatching(/e-?mail/i)] },
  })
  expect(asked).not.toHaveBeenCalled()
})
