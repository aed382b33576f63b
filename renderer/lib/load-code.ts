import { health } from '../../shared/api/system.ts'
import { api } from './api.ts'
import { UserFacingError } from './user-facing-error.ts'

/** The appliance answers, but no longer has this piece of the console: it was updated under the open page. */
export class OutdatedBuildError extends UserFacingError {
  constructor(cause: unknown) {
    super('Homeport was updated. Reload this page to go on.', { cause })
  }
}

/**
 * Fetches a piece of the console, anew each time it is asked for; throws `StaleBuild`, or what kept the appliance from
 * answering. Browsers say no more than that an import failed, so the appliance is asked whether it is there.
 */
export async function loadCode<Piece>(load: () => Promise<Piece>): Promise<Piece> {
  try {
    return await load()
  } catch (cause) {
    await api.call(health, {})
    throw new OutdatedBuildError(cause)
  }
}
