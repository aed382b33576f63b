import type { Endpoint } from '../../shared/endpoint.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { type Request, send } from './kit.ts'

/** Every answer to the calls of a test, and every secret that was in a call or an answer. */
export class RecordedAnswers {
  readonly app: TestApp
  readonly answers: { name: string; text: string }[] = []
  /** Each secret with the names of the endpoints whose answers may contain it. */
  readonly endpointsBySecret = new Map<string, string[]>()

  constructor(app: TestApp) {
    this.app = app
  }

  async call(endpoint: Endpoint, request: Request = {}) {
    const answer = await send(this.app, endpoint, request)
    this.answers.push({ name: endpoint.name, text: answer.text })
    for (const { value } of answer.response.cookies) if (value) this.endpointsBySecret.set(value, [])
    return answer
  }

  /** Secrets that the answers of this endpoint may contain; several endpoints may contain the same. */
  allow(by: Endpoint, ...secrets: string[]): void {
    for (const secret of secrets)
      this.endpointsBySecret.set(secret, [...(this.endpointsBySecret.get(secret) ?? []), by.name])
  }

  /** Secrets that no answer may contain. */
  forbid(...secrets: string[]): void {
    for (const secret of secrets) this.endpointsBySecret.set(secret, [])
  }

  /** Answers that contain a secret they may not. */
  leaks(stored: readonly string[]): string[] {
    return this.answers.flatMap(({ name, text }) => [
      ...[...this.endpointsBySecret].flatMap(([secret, by]) =>
        says(text, secret) && !by.includes(name) ? [`${name} says ${secret}`] : [],
      ),
      ...stored.filter((secret) => text.includes(secret)).map((secret) => `${name} shows something stored: ${secret}`),
    ])
  }
}

/** A code of six digits must not be part of a longer number. */
export const says = (text: string, secret: string): boolean =>
  /^\d+$/.test(secret) ? new RegExp(`(?<![\\w.-])${secret}(?![\\w.-])`).test(text) : text.includes(secret)
