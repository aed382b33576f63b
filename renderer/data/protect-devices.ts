import { createBackupConfig, deleteBackupConfig } from '../../shared/api/backup-configs.ts'
import {
  addPolicyLink,
  assignPolicy,
  type ConfigurationPolicy,
  createPolicy,
  deletePolicy,
  type PolicyAssignment,
  unassignPolicy,
  updatePolicy,
} from '../../shared/api/configuration-policies.ts'
import { api } from '../lib/api.ts'
import { ApiError } from '../lib/api-error.ts'
import { backupPoliciesChanged, type PolicyTarget } from './backup-policies.ts'
import type { NewStorage } from './backup-storages.ts'

export interface WantedProtection {
  orgId: string
  name: string
  /** Of the link; without the storage. */
  settings: Record<string, unknown>
  /** An id, one to be made, or null for the default storage of the organization. */
  storage: string | NewStorage | null
  targets: readonly PolicyTarget[]
  /** Of other policies, which would go first at the same targets. */
  replaces: readonly PolicyAssignment[]
}

type Undo = () => Promise<unknown>

/** An earlier try may have done it, and only its answer was lost. */
function unlessDone(error: unknown): void {
  if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 409)) throw error
}

/**
 * Makes storage, policy, settings and assignments, one after the other. Nothing of it takes effect before the last is
 * there: the policy is turned on then. When a call fails, what was made is taken back; what cannot be taken back now is
 * taken back before the next try.
 */
export class ProtectDevices {
  #made: Undo[] = []

  /** Whether something half made is left. */
  get isUnfinished(): boolean {
    return this.#made.length > 0
  }

  readonly onSettled = backupPoliciesChanged

  readonly mutationFn = async (wanted: WantedProtection): Promise<ConfigurationPolicy> => {
    await this.takeBack()
    try {
      const policy = await this.#make(wanted)
      this.#made = []
      return policy
    } catch (error) {
      await this.takeBack().catch(() => undefined)
      throw error
    }
  }

  /** @throws ApiError where the appliance does not answer; what is left is remembered */
  async takeBack(): Promise<void> {
    for (let undo = this.#made.at(-1); undo; undo = this.#made.at(-1)) {
      await undo().catch(unlessDone)
      this.#made.pop()
    }
  }

  async #make({ orgId, name, settings, storage, targets, replaces }: WantedProtection): Promise<ConfigurationPolicy> {
    const destinationConfigId =
      storage === null || typeof storage === 'string' ? storage : await this.#store(orgId, storage)
    const { id } = await api.call(createPolicy, { body: { orgId, name, status: 'inactive' } })
    const params = { id }
    this.#made.push(() => api.call(deletePolicy, { params }))
    const inlineSettings = { ...settings, ...(destinationConfigId && { destinationConfigId }) }
    await api.call(addPolicyLink, { params, body: { featureType: 'backup', inlineSettings } })
    for (const target of targets) await api.call(assignPolicy, { params, body: target })
    const policy = await api.call(updatePolicy, { params, body: { status: 'active' } })
    for (const { id: assignmentId, configPolicyId, ...former } of replaces) {
      const { level, targetId, priority, roleFilter, osFilter } = former
      await api.call(unassignPolicy, { params: { id: configPolicyId, assignmentId } })
      const body = { level, targetId, priority, roleFilter, osFilter }
      this.#made.push(() => api.call(assignPolicy, { params: { id: configPolicyId }, body }))
    }
    return policy
  }

  async #store(orgId: string, body: NewStorage): Promise<string> {
    const { id } = await api.call(createBackupConfig, { query: { orgId }, body })
    this.#made.push(() => api.call(deleteBackupConfig, { params: { id }, query: {} }))
    return id
  }
}
