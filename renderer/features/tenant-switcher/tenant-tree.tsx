import { type RenderTreeNodePayload, Tree, type TreeNodeData, useTree } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import {
  useHasOrganizationChoice,
  useOnlyOrganizationId,
  useOpenOrganizationId,
} from '../../domain/organizations/selected-organization.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { FoldHeading, useFold } from '../../ui/fold-heading.tsx'
import classes from './tenant-tree.module.css'
import { isExpandable, organizationPath, siteNodesQuery } from './tree-queries.ts'
import { TreeRowContent } from './tree-row.tsx'
import { addLetter, nextMatch, type TypedText } from './type-ahead.ts'
import { useTreeRows } from './use-tree-rows.ts'

interface Props {
  onNavigate: () => void
}

/** The tree of organizations, sites, groups and devices; absent if there is only one place. */
export function TenantTree({ onNavigate }: Props) {
  const root = useRoot()
  const fold = useFold('tree', true)
  if (!root) return null
  return (
    <div className={classes.places}>
      <FoldHeading {...fold}>Organizations & sites</FoldHeading>
      {fold.isUnfolded && <Unfolded key={root} root={root} onNavigate={onNavigate} />}
    </div>
  )
}

function useRoot(): string | undefined {
  const maySee = can(useMe(), 'sites:read')
  const hasChoice = useHasOrganizationChoice()
  const only = useOnlyOrganizationId()
  const sites = useQuery({ ...siteNodesQuery(only ?? '', 1), enabled: maySee && only !== undefined }).data
  if (!maySee) return undefined
  if (hasChoice) return 'all'
  return only && sites && sites.total > 1 ? organizationPath(only) : undefined
}

function Unfolded({ root, onNavigate }: Props & { root: string }) {
  const openOrgId = useOpenOrganizationId()
  const { deviceId } = useParams({ strict: false })
  const [open, setOpen] = useState<string[]>([])
  const [pages, setPages] = useState<Record<string, number>>({})
  const list = useRef<HTMLUListElement>(null)
  const data = useTreeRows({ root, openOrgId, open, pages })
  const tree = useTree({
    expandedState: useMemo(() => Object.fromEntries(open.map((path) => [path, true])), [open]),
    onExpandedStateChange: (state) => {
      // The right arrow key expands any row, so leaves are filtered out.
      const next = Object.keys(state).filter((path) => state[path] && isExpandable(path))
      // The tree reports its state after every change of its rows, even if it is the same.
      setOpen((last) => (next.length === last.length && next.every((path) => last.includes(path)) ? last : next))
    },
    selectedState: useMemo(() => {
      const isHere = (path: string) => path.startsWith(`device:${deviceId}:`)
      return deviceId ? pathsIn(data).filter(isHere) : openOrgId ? [organizationPath(openOrgId)] : []
    }, [deviceId, openOrgId, data]),
  })
  useEffect(() => {
    if (!openOrgId || root !== 'all') return
    setOpen((last) => (last.includes(organizationPath(openOrgId)) ? last : [...last, organizationPath(openOrgId)]))
    itemOf(list.current, organizationPath(openOrgId))?.scrollIntoView({ block: 'nearest' })
  }, [openOrgId, root])
  const more = (path: string) => setPages((last) => ({ ...last, [path]: (last[path] ?? 1) + 1 }))
  const render = (payload: RenderTreeNodePayload) => (
    <TreeRowContent {...payload} onMore={more} onNavigate={onNavigate} />
  )
  return (
    <Tree
      ref={list}
      aria-label="Organizations & sites"
      className={classes.tree}
      classNames={{ label: classes.row }}
      data={data}
      tree={tree}
      levelOffset={14}
      expandOnClick={false}
      allowRangeSelection={false}
      renderNode={render}
      onKeyDown={useTreeKeys()}
    />
  )
}

const pathsIn = (nodes: TreeNodeData[]): string[] =>
  nodes.flatMap(({ value, children = [] }) => [value, ...pathsIn(children)])

const itemOf = (list: HTMLElement | null, path: string) => list?.querySelector(`li[data-value="${CSS.escape(path)}"]`)

/** Keys that Mantine's tree does not handle: Enter opens, Home and End jump, letters find a name. */
function useTreeKeys() {
  // A word continues as long as the focus stays where it led.
  const last = useRef<{ typed: TypedText; row: HTMLElement | undefined }>({ typed: nothing, row: undefined })
  return (event: KeyboardEvent<HTMLUListElement>) => {
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="treeitem"]')]
    const at = items.indexOf(document.activeElement as HTMLElement)
    const item = items[at]
    if (!item) return
    if (event.key === 'Enter') actionElement(item)?.click()
    else if (event.key === 'Home') items.at(0)?.focus()
    else if (event.key === 'End') items.at(-1)?.focus()
    else if (isLetter(event)) {
      const typed = addLetter(last.current.row === item ? last.current.typed : nothing, event.key, event.timeStamp)
      const names = items.map((one) => actionElement(one)?.dataset.name ?? '')
      const row = items[nextMatch(names, at, typed.text)] ?? item
      row.focus()
      last.current = { typed, row }
      // Elsewhere on the page letters are shortcuts.
      event.stopPropagation()
    } else return
    event.preventDefault()
  }
}

const nothing: TypedText = { text: '', at: 0 }

/** The row's own element: those of its children come later. */
const actionElement = (item: HTMLElement) => item.querySelector<HTMLElement>('[data-act]')

const isLetter = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  /^[\p{L}\p{N}]$/u.test(key) && !ctrlKey && !metaKey && !altKey
