import { health } from '../../shared/api/system.ts'
import { api } from './api.ts'
import { UserFacingError } from './user-facing-error.ts'

/** The appliance answers, but no longer has this file of the console: it was updated under the open page. */
export class OutdatedBuildError extends UserFacingError {
  constructor(cause: unknown) {
    super('Homeport was updated. Reload this page to continue.', { cause })
  }
}

/**
 * Loads a chunk of the console, again at each call. Throws `OutdatedBuildError`, or the error that kept the appliance
 * from answering: browsers only say that an import failed, so its health is checked.
 */
export async function loadCode<Piece>(load: () => Promise<Piece>): Promise<Piece> {
  try {
    return await load()
  } catch (cause) {
    await api.call(health, {})
    throw new OutdatedBuildError(cause)
  }
}
