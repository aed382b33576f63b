import { queryOptions } from '@tanstack/react-query'
import { readSsoTrust } from '../../shared/api/sso-trust.ts'
import type { DesktopBridge, TrustFile } from '../../shared/bridge.ts'
import type { ListedAuthority, ListedHost } from '../../shared/sso-trust-document.ts'
import { api } from '../lib/api.ts'
import { UserFacingError } from '../lib/user-facing-error.ts'

export const ssoTrustQuery = queryOptions({
  queryKey: ['appliance', 'sso-trust'],
  queryFn: async ({ signal }) => (await api.call(readSsoTrust, {}, signal)).data,
})

const fileKey = ['desktop', 'sso-trust']

export const trustFileQuery = (desktop: DesktopBridge) =>
  queryOptions({ queryKey: fileKey, queryFn: () => desktop.readTrust(), staleTime: 0 })

export interface TrustChange {
  file: TrustFile
  /** The complete new list. */
  hosts: ListedHost[]
  /** Certificate authorities that were added in the form. */
  added?: ListedAuthority[]
}

/** False if the user declined in the desktop shell, which asks for confirmation. */
export async function saveTrustFile(
  desktop: DesktopBridge,
  { file, hosts, added = [] }: TrustChange,
): Promise<boolean> {
  if (!file.document) throw new UserFacingError('This can’t be changed here.')
  const certificateAuthorities = [...file.document.certificateAuthorities, ...added]
  const change = await desktop.saveTrust({ version: 1, certificateAuthorities, hosts }, file.version)
  if (change.outcome === 'refused') throw new UserFacingError(toSentence(change.problem))
  return change.outcome === 'saved'
}

/** Without the JSON path, and as a sentence. */
function toSentence(problem: string): string {
  const problemText = problem.replace(/^hosts[.\w]*: /, '')
  return `${problemText.charAt(0).toUpperCase()}${problemText.slice(1).replace(/\.$/, '')}.`
}
