import { type RenderTreeNodePayload, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconBuilding, IconChevronRight, IconMapPin, IconStack2 } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { DeviceStatusDot } from '../../domain/devices/device-status.tsx'
import { count } from '../../lib/format.ts'
import classes from './tenant-tree.module.css'
import type { TreeNode } from './tree-queries.ts'
import { rowOfNode } from './use-tree-rows.ts'

interface Props extends RenderTreeNodePayload {
  onMore: (path: string) => void
  onNavigate: () => void
}

/** The content of a row. The tree item has the focus; Enter presses the element with `data-act`. */
export function TreeRowContent({ node, tree, expanded, hasChildren, elementProps, onMore, onNavigate }: Props) {
  const row = rowOfNode(node)
  return (
    <div {...elementProps}>
      {hasChildren ? (
        // For the mouse; the keyboard has the arrow keys, and the tree item states whether it is expanded.
        <span className={classes.opener} aria-hidden onClick={() => tree.toggleExpanded(node.value)}>
          <IconChevronRight size={14} className={classes.chevron} data-open={expanded || undefined} />
        </span>
      ) : (
        <span className={classes.opener} />
      )}
      {row.is === 'node' && (
        <TreeNodeLink treeNode={row.treeNode} needsDistinction={row.needsDistinction} onNavigate={onNavigate} />
      )}
      {row.is === 'more' && <Act onAct={() => onMore(row.path)}>Show more ({count(row.left)} left)</Act>}
      {row.is === 'failed' && <Act onAct={row.retry}>Didn’t load. Try again</Act>}
      {row.is === 'loading' && <span className={classes.note}>Loading…</span>}
      {row.is === 'archived' && <span className={classes.note}>Not shown while archived</span>}
      {row.is === 'none' && <span className={classes.note}>Empty</span>}
    </div>
  )
}

function Act({ onAct, children }: { onAct: () => void; children: ReactNode }) {
  return (
    <UnstyledButton
      tabIndex={-1}
      data-act
      className={classes.act}
      onClick={(event) => {
        event.stopPropagation()
        // The row may disappear, so the focus goes to the row before it and continues there.
        event.currentTarget.closest('li')?.previousElementSibling?.closest('li')?.focus()
        onAct()
      }}
    >
      {children}
    </UnstyledButton>
  )
}

const icons = { org: IconBuilding, site: IconMapPin, group: IconStack2 }

interface LinkProps {
  treeNode: TreeNode
  needsDistinction: boolean
  onNavigate: () => void
}

function TreeNodeLink({ treeNode, needsDistinction, onNavigate }: LinkProps) {
  const { kind, id, orgId, name } = treeNode
  const title = needsDistinction ? `${name} (${treeNode.distinction})` : name
  const shared = {
    tabIndex: -1,
    'data-act': true,
    'data-name': name,
    className: classes.link,
    title,
    onClick: onNavigate,
  }
  if (kind === 'device')
    return (
      <Link to="/devices/$deviceId" params={{ deviceId: id }} {...shared}>
        {treeNode.status && <DeviceStatusDot status={treeNode.status} isShort />}
        <span className={classes.name}>{name}</span>
      </Link>
    )
  const Icon = icons[kind]
  const inside = (
    <>
      <Icon size={15} stroke={1.6} aria-hidden className={classes.icon} />
      <span className={classes.name}>{name}</span>
      {treeNode.isSuspended && <span className={classes.distinction}>suspended</span>}
      {needsDistinction && <span className={classes.distinction}>{treeNode.distinction}</span>}
      {treeNode.deviceCount !== undefined && (
        <span className={classes.count}>
          {count(treeNode.deviceCount)}
          <VisuallyHidden> devices</VisuallyHidden>
        </span>
      )}
    </>
  )
  return kind === 'org' ? (
    <Link to="/organizations/$orgId" params={{ orgId: id }} {...shared}>
      {inside}
    </Link>
  ) : (
    <Link to="/devices" search={{ org: orgId, [kind]: id }} {...shared}>
      {inside}
    </Link>
  )
}
