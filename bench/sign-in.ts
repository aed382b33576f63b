import type { Request } from 'autocannon'
import { type Answer, answer, type Question } from './compare.ts'
import { beatAll } from './fleet.ts'
import { hammer, percentiles } from './load.ts'
import { admin } from './seed.ts'
import type { World } from './world.ts'

/** What signing in costs beside the hash of the password, and what a signed-in call costs beside its token. */
export interface SignInReport {
  answers: Answer[]
  /** How many sign in at once while devices beat. */
  crowd: number
  beats: { lost: number; p50: number; p99: number }
}

const crowd = 50
const crowdMs = 20_000

const post = (path: string, body: object): Request => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

export async function measureSignIn(world: World): Promise<SignInReport> {
  const { origin, headers, constant, tokenOnly, passwordOnlyUrl } = world
  const logins = { url: origin, requests: [post('/api/v1/auth/login', admin)] }
  const questions: Question[] = [
    {
      name: 'Sign-in with a password',
      target: logins,
      raw: { url: passwordOnlyUrl, requests: [post('/password-only', admin)] },
      aim: 0.9,
      // Enough at once that the shortest time an answer may take is not what limits the rate.
      slow: { connections: 20, amount: 60 },
    },
    {
      name: 'Who am I, signed in',
      target: { url: origin, requests: [{ path: '/api/v1/auth/me', headers }] },
      raw: tokenOnly,
      aim: 0.6,
    },
  ]
  const answers = []
  for (const question of questions) answers.push(await answer(question, constant))
  const [times] = await Promise.all([beatAll(origin, crowdMs), hammer(logins, crowdMs / 1000, crowd)])
  const answered = times.filter((time) => time !== null)
  const { p50, p99 } = percentiles(answered)
  return { answers, crowd, beats: { lost: times.length - answered.length, p50, p99 } }
}
