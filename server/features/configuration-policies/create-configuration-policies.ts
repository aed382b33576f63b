import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { DeviceSignals } from '../devices/index.ts'
import { Assignments } from './assignments.ts'
import { PolicyLinks } from './links.ts'
import { Policies } from './policies.ts'
import { policyRoutes } from './routes.ts'

export interface ConfigurationPolicies {
  /** Where a feature says what its settings in policies are. */
  links: PolicyLinks
}

export function createConfigurationPolicies(
  services: Services,
  { signals }: { signals: Pick<DeviceSignals, 'moving'> },
): Module<ConfigurationPolicies> {
  const { db } = services
  const policies = new Policies(services)
  const links = new PolicyLinks(services)
  const assignments = new Assignments(services)
  signals.moving.on((move) => assignments.deviceMoves(move))
  return { api: { links }, routes: (http) => policyRoutes(http, { db, policies, links, assignments }) }
}
