import type { Endpoint } from '../../shared/endpoint.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { type Request, send } from './kit.ts'

/** Every answer of a day, and every secret the appliance was told or told somebody. */
export class Diary {
  readonly app: TestApp
  readonly answers: { name: string; text: string }[] = []
  /** Each secret with the names of the endpoints that may say it. */
  readonly confidences = new Map<string, string[]>()

  constructor(app: TestApp) {
    this.app = app
  }

  async call(endpoint: Endpoint, request: Request = {}) {
    const answer = await send(this.app, endpoint, request)
    this.answers.push({ name: endpoint.name, text: answer.text })
    for (const { value } of answer.response.cookies) if (value) this.confidences.set(value, [])
    return answer
  }

  /** What the answers of this endpoint are there to say; two of them may, when they say the same. */
  told(by: Endpoint, ...secrets: string[]): void {
    for (const secret of secrets) this.confidences.set(secret, [...(this.confidences.get(secret) ?? []), by.name])
  }

  /** What no answer ever says. */
  keep(...secrets: string[]): void {
    for (const secret of secrets) this.confidences.set(secret, [])
  }

  /** Answers that say more than they may. */
  leaks(stored: readonly string[]): string[] {
    return this.answers.flatMap(({ name, text }) => [
      ...[...this.confidences].flatMap(([secret, by]) =>
        says(text, secret) && !by.includes(name) ? [`${name} says ${secret}`] : [],
      ),
      ...stored.filter((secret) => text.includes(secret)).map((secret) => `${name} shows something stored: ${secret}`),
    ])
  }
}

/** A code of six digits is told from a part of some longer number. */
export const says = (text: string, secret: string): boolean =>
  /^\d+$/.test(secret) ? new RegExp(`(?<![\\w.-])${secret}(?![\\w.-])`).test(text) : text.includes(secret)
