import type { Http } from './http/http.ts'
import type { Job } from './jobs.ts'

/**
 * A feature put together by one function, which takes the few things it needs. `app.ts` lists the modules in order of
 * dependency; they are started in that order and stopped in reverse.
 */
export interface Module<Api = unknown> {
  /** What other features use. */
  api: Api
  routes?: (http: Http) => void | Promise<void>
  jobs?: readonly Job[]
  start?: () => void
  stop?: () => unknown
}
