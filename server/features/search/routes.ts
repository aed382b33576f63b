import { search } from '../../../shared/api/search.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Http } from '../../platform/http/http.ts'
import { searches } from '../../platform/http/searches.ts'

type FindAll = (actor: UserActor, query: QueryOf<typeof search>) => Steps<ReplyOf<typeof search>>

export function searchRoutes(http: Http, find: FindAll): void {
  const { steps } = searches()
  http.user(search, ({ actor, query, reply }) => steps(actor, reply, find(actor, query)))
}
