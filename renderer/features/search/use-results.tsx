import {
  IconAddressBook,
  IconBuilding,
  IconDeviceDesktop,
  IconLogout,
  IconMapPin,
  IconUser,
  IconUserCircle,
  type TablerIcon,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { search } from '../../../shared/api/search.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { searchQuery } from '../../data/search.ts'
import { DeviceStatusDot } from '../../domain/devices/device-status.tsx'
import { pages } from '../../domain/navigation/pages.ts'
import { OrganizationStatus } from '../../domain/organizations/organization-status.tsx'
import { type Opened, useRecentlyOpened } from '../../domain/search/recently-opened.ts'
import { useSignOut } from '../../domain/session/use-sign-out.ts'
import { usePageActions } from '../../lib/page-actions.ts'
import { useMe } from '../../lib/session.ts'
import { matchText } from './device-match.ts'
import { useOpen } from './use-open.ts'

/** A line of the dialog. */
export interface Result {
  /** Unique in the dialog, and an id in the document. */
  id: string
  Icon: TablerIcon
  name: string
  /** What tells it from others of its name, or by what it was found. */
  detail?: string | undefined
  status?: ReactNode
  /** Known without asking the appliance, so that no answer comes before it. */
  isLocal?: boolean
  open: () => unknown
}

export interface ResultGroup {
  label: string
  results: Result[]
}

const icons: Record<Opened['kind'], TablerIcon> = {
  device: IconDeviceDesktop,
  organization: IconBuilding,
  site: IconMapPin,
  person: IconUser,
  contact: IconAddressBook,
}

const maxRecent = 6

/**
 * What the dialog offers for a text: at once what this browser knows, and what the appliance has found for `asked`, the
 * text of a moment ago. Without a text, what was opened last and all pages.
 */
export function useResults(text: string, asked: string, onRun: () => Promise<unknown>) {
  const local = useLocalGroups(text, onRun)
  const found = useQuery(searchQuery(asked))
  const foundGroups = useFoundGroups(text === '' ? undefined : found.data)
  const isBehind = text !== '' && (asked !== text || found.isPlaceholderData || found.isPending)
  const groups = [...local, ...foundGroups].filter(({ results }) => results.length > 0)
  return {
    groups,
    isBehind,
    hasAnswer: found.data !== undefined,
    error: text === '' ? null : found.error,
    retry: found.refetch,
  }
}

/** Actions on the open page, what was opened last, and pages. */
function useLocalGroups(text: string, onRun: () => Promise<unknown>): ResultGroup[] {
  const me = useMe()
  const navigate = useNavigate()
  const actions = usePageActions()
  const others = useRecentlyOpened().recent.filter(useIsElsewhere())
  const open = useOpen()
  const signOut = useSignOut()
  const fits = beginsWords(text)
  return [
    {
      label: 'On this page',
      results: actions
        .filter(({ label, alias = '', isLink }) => fits(`${label} ${alias}`) && !(isLink && text === ''))
        .map(({ label, Icon, run }) => ({
          id: `action-${label.replace(/\W+/g, '-')}`,
          Icon,
          name: label,
          isLocal: true,
          // The dialog gives the focus back first.
          open: async () => {
            await onRun()
            run()
          },
        })),
    },
    {
      label: 'Recently opened',
      results: (text === '' ? others.slice(0, maxRecent) : []).map((item) => ({
        id: `recent-${item.id}`,
        Icon: icons[item.kind],
        name: item.name,
        isLocal: true,
        open: () => open(item),
      })),
    },
    {
      label: 'Pages',
      results: pages
        .filter(({ isFor, ...page }) => isFor(me) && fits(`${page.label} ${page.words}`))
        .map(({ to, label, Icon }) => ({
          id: `page-${to.replaceAll('/', '-')}`,
          Icon,
          name: label,
          isLocal: true,
          open: () => navigate({ to, replace: true }),
        })),
    },
    {
      label: 'Account',
      results: [
        {
          id: 'account-profile',
          Icon: IconUserCircle,
          name: 'Your profile',
          words: 'settings password passkey two-factor sessions theme dark color name email',
          isLocal: true,
          open: () => navigate({ to: '/settings/profile', replace: true }),
        },
        {
          id: 'account-sign-out',
          Icon: IconLogout,
          name: 'Sign out',
          words: 'log',
          isLocal: true,
          open: () => signOut.mutate(),
        },
      ].filter(({ name, words }) => text !== '' && fits(`${name} ${words}`)),
    },
  ]
}

/** Whether each word of the text begins a word of a label: two letters are within too many. */
function beginsWords(text: string): (label: string) => boolean {
  const wordsOf = (words: string) => words.toLowerCase().split(/[\s-]+/)
  const wanted = wordsOf(text)
  return (label) => wanted.every((word) => wordsOf(label).some((one) => one.startsWith(word)))
}

/** Whether something is not what the open page is about. */
function useIsElsewhere() {
  const { deviceId, orgId, personId } = useParams({ strict: false })
  return ({ id }: Opened) => id !== deviceId && id !== orgId && id !== personId
}

function useFoundGroups(found: ReplyOf<typeof search> | undefined): ResultGroup[] {
  const me = useMe()
  const open = useOpen()
  if (!found) return []
  const result = (item: Opened, more: Pick<Result, 'detail' | 'status'>): Result => ({
    id: `${item.kind}-${item.id}`,
    Icon: icons[item.kind],
    name: item.name,
    open: () => open(item),
    ...more,
  })
  const { devices, organizations, sites, people, contacts } = found
  // Members of an organization have no page with its contacts.
  const shownContacts = me.scope === 'organization' ? [] : contacts
  return [
    {
      label: 'Devices',
      results: devices.map(({ id, name, status, orgName, siteName, matched }) =>
        result(
          { kind: 'device', id, name },
          {
            detail: [matched && matchText(matched), orgName, siteName].filter(Boolean).join(' · '),
            status: <DeviceStatusDot status={status} />,
          },
        ),
      ),
    },
    {
      label: 'Organizations',
      results: organizations.map(({ id, name, slug, status }) =>
        result(
          { kind: 'organization', id, name },
          { detail: slug, status: status !== 'active' && <OrganizationStatus status={status} /> },
        ),
      ),
    },
    {
      label: 'Sites',
      results: sites.map(({ id, name, orgId, orgName }) =>
        result({ kind: 'site', id, name, orgId }, { detail: orgName }),
      ),
    },
    {
      label: 'People',
      results: people.map(({ id, name, email, partnerId, orgName }) =>
        result({ kind: 'person', id, name, partnerId }, { detail: [email, orgName].filter(Boolean).join(' · ') }),
      ),
    },
    {
      label: 'Contacts',
      results: shownContacts.map(({ id, name, email, orgId, orgName }) =>
        result(
          { kind: 'contact', id, name: name ?? email ?? '', orgId },
          { detail: [name && email, orgName].filter(Boolean).join(' · ') },
        ),
      ),
    },
  ]
}
