import { readHome } from '../../../shared/api/home.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { type HomeSources, HomeView } from './home-view.ts'

/** What the first page of the console shows. */
export function createHome(services: Services, sources: HomeSources): Module<null> {
  const view = new HomeView(services, sources)
  return {
    api: null,
    routes: (http) => http.user(readHome, ({ actor, query }) => view.read(actor, query.orgId)),
  }
}
