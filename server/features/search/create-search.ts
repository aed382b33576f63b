import { listContacts } from '../../../shared/api/contacts.ts'
import { listDevices } from '../../../shared/api/devices.ts'
import { listOrganizations } from '../../../shared/api/organizations.ts'
import { listUsers } from '../../../shared/api/people.ts'
import type {
  FoundContact,
  FoundDevice,
  FoundOrganization,
  FoundPerson,
  FoundSite,
  search,
} from '../../../shared/api/search.ts'
import { listSites } from '../../../shared/api/sites.ts'
import type { Endpoint, QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import { mayCall } from '../../platform/http/guard.ts'
import type { Find } from '../../platform/http/searches.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { searchRoutes } from './routes.ts'

/** Each feature finds what is its own. */
interface Finders {
  findDevices: Find<FoundDevice>
  findOrganizations: Find<FoundOrganization>
  findSites: Find<FoundSite>
  findPeople: Find<FoundPerson>
  findContacts: Find<FoundContact>
}

/** One search over all kinds; a caller finds those kinds whose list they may call. */
export function createSearch({ config }: Pick<Services, 'config'>, finders: Finders): Module<null> {
  function* find(actor: UserActor, { q, limit }: QueryOf<typeof search>): Steps<ReplyOf<typeof search>> {
    const of = <Found>(list: Endpoint, findSome: Find<Found>): Steps<Found[]> =>
      mayCall(actor, list, config) ? findSome(actor, q, limit) : nothing()
    return {
      devices: yield* of(listDevices, finders.findDevices),
      organizations: yield* of(listOrganizations, finders.findOrganizations),
      sites: yield* of(listSites, finders.findSites),
      people: yield* of(listUsers, finders.findPeople),
      contacts: yield* of(listContacts, finders.findContacts),
    }
  }
  return { api: null, routes: (http) => searchRoutes(http, find) }
}

// biome-ignore lint/correctness/useYield: nothing to do in between
function* nothing(): Steps<never[]> {
  return []
}
