import type { StorageProviderName } from '../../../shared/api/backup-configs.ts'
import { fieldError } from '../../platform/errors.ts'
import { providers, underOwnNames } from './providers/index.ts'
import { type Details, mergedDetails, secretsKept } from './secrets-of-details.ts'

/**
 * What is stored after a change. Another server gets no secret that was given for the one before: somebody who may change a
 * storage does not thereby learn what opens it.
 * @throws AppError `validation_failed` that names the field
 */
export function changedDetails(name: StorageProviderName, stored: Details, wanted: Details): Details {
  const provider = providers[name]
  const changes = underOwnNames(name, wanted)
  const details = provider.normalize(mergedDetails(stored, changes))
  const [kept] = secretsKept(stored, changes, details)
  if (kept && provider.receiver(stored) !== provider.receiver(details))
    throw fieldError(`details.${kept}`, 'Required again, as the address has changed')
  return details
}
