import * as contract from '../../../shared/api/configuration-policies.ts'
import type { Database } from '../../db/database.ts'
import type { Http } from '../../platform/http/http.ts'
import { searches } from '../../platform/http/searches.ts'
import type { Assignments } from './assignments.ts'
import { effectiveFor } from './effective.ts'
import type { PolicyLinks } from './links.ts'
import type { Policies } from './policies.ts'

interface PolicyFeatures {
  db: Database
  policies: Policies
  links: PolicyLinks
  assignments: Assignments
}

const done = { success: true as const }

export function policyRoutes(http: Http, { db, policies, links, assignments }: PolicyFeatures): void {
  const search = searches()
  http.user(contract.listPolicies, ({ actor, query, reply }) => search.steps(actor, reply, policies.list(actor, query)))
  http.user(contract.createPolicy, ({ actor, body }) => policies.create(actor, body))
  http.user(contract.readPolicy, ({ actor, params }) => policies.read(actor, params.id))
  http.user(contract.updatePolicy, ({ actor, params, body }) => policies.update(actor, params.id, body))
  http.user(contract.deletePolicy, ({ actor, params }) => {
    policies.remove(actor, params.id)
    return done
  })

  http.user(contract.listPolicyLinks, ({ actor, params }) => links.list(actor, params.id))
  http.user(contract.addPolicyLink, ({ actor, params, body }) => links.add(actor, params.id, body))
  http.user(contract.updatePolicyLink, ({ actor, params, body }) => links.update(actor, params.id, params.linkId, body))
  http.user(contract.removePolicyLink, ({ actor, params }) => {
    links.remove(actor, params.id, params.linkId)
    return done
  })

  http.user(contract.listAssignments, ({ actor, params }) => assignments.list(actor, params.id))
  http.user(contract.assignPolicy, ({ actor, params, body }) => assignments.assign(actor, params.id, body))
  http.user(contract.unassignPolicy, ({ actor, params }) => {
    assignments.unassign(actor, params.id, params.assignmentId)
    return done
  })
  http.user(contract.assignmentsOfTarget, ({ actor, query }) => assignments.ofTarget(actor, query))
  http.user(contract.effectivePolicy, ({ actor, params }) => effectiveFor(db, actor, params.deviceId))
}
