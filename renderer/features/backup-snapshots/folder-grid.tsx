import { Button, Checkbox, Table } from '@mantine/core'
import { defaultRangeExtractor, useWindowVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import {
  Fragment,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { BackedUpEntry } from '../../../shared/api/backup-snapshots.ts'
import { EntryIcon } from '../../domain/backup-snapshots/entry-icon.tsx'
import { bytes, dash, exactTime } from '../../lib/format.ts'
import { useNarrowScreen } from '../../lib/use-narrow-screen.ts'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import { type ChosenEntries, folderChosenAbove } from './chosen-entries.ts'
import classes from './folder-grid.module.css'
import { nameOf } from './paths.ts'
import { useDistanceFromTop } from './use-distance-from-top.ts'
import { useGridKeys } from './use-grid-keys.ts'

export interface Choosing {
  state: 'all' | 'some' | 'none'
  onChange: (isChosen: boolean) => void
}

interface Props {
  /** Accessible name. */
  label: string
  entries: readonly BackedUpEntry[]
  /** The folder; where it is another one, the grid begins anew. */
  path: string
  /** Of all entries, of which some may not be loaded yet. */
  total: number
  isStale: boolean
  chosen: ChosenEntries
  /** The folder that is shown, if it is chosen itself or in one that is. */
  chosenAround: string | undefined
  /** The box above all rows; undefined where they cannot be chosen together. */
  choosing: Choosing | undefined
  /** The entry at which the keys begin. */
  startAt: string | undefined
  onChoose: (entries: readonly BackedUpEntry[], isChosen: boolean) => void
  onOpen: (entry: BackedUpEntry) => void
  onUp: () => void
  /** The end of what is loaded comes into view. */
  onEnd: () => void
  /** The link of a folder, the button of a file. */
  renderName: (entry: BackedUpEntry) => ReactNode
}

/** With the line below; as in the styles. */
const rowHeight = { wide: 41, narrow: 57 }
/** Below the header of the page and the headings of the grid; above the bar of what is chosen. */
const covered = { above: 54 + 40, below: 76 }
const loadAhead = 60

/** The entries of a folder. Only the rows in view are rendered, so that a folder may have any number of them. */
export function FolderGrid(props: Props) {
  const { label, path, entries, total, chosen, chosenAround, choosing, startAt, onChoose, onOpen, onUp, onEnd } = props
  const id = useId()
  const isNarrow = useNarrowScreen()
  const grid = useRef<HTMLTableElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const [activePath, setActivePath] = useState(startAt)
  const found = entries.findIndex(({ path }) => path === activePath)
  const active = Math.max(0, found)
  const height = isNarrow ? rowHeight.narrow : rowHeight.wide
  const virtual = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: useDistanceFromTop(body),
    scrollPaddingStart: covered.above,
    scrollPaddingEnd: covered.below,
    getItemKey: (at) => entries[at]?.path ?? at,
    // The active row stays rendered: the grid refers to it.
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), active])].sort((a, b) => a - b),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have another height
  useLayoutEffect(() => virtual.measure(), [virtual, height])
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useLayoutEffect(() => {
    if (last >= entries.length - loadAhead) onEnd()
  }, [last, entries.length, onEnd])

  const anchor = useRef<string>(undefined)
  const begin = useEffectEvent(() => {
    anchor.current = undefined
    setActivePath(startAt)
    const at = entries.findIndex((entry) => entry.path === startAt)
    if (at > 0) virtual.scrollToIndex(at, { align: 'center' })
    else if (window.scrollY > virtual.options.scrollMargin) window.scrollTo({ top: 0 })
  })
  const hasStart = entries.some((entry) => entry.path === startAt)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another folder is shown, or the entry to begin at has been loaded
  useEffect(() => begin(), [path, startAt, hasStart])

  const coverOf = (path: string) => chosenAround ?? folderChosenAbove(chosen, path)
  /** With Shift, all entries since the one chosen before become what this one becomes. */
  const choose = (entry: BackedUpEntry, isRange: boolean) => {
    const from = isRange ? entries.findIndex(({ path }) => path === anchor.current) : -1
    const to = entries.indexOf(entry)
    const range = from === -1 ? [entry] : entries.slice(Math.min(from, to), Math.max(from, to) + 1)
    anchor.current = entry.path
    onChoose(range, !chosen.has(entry.path))
  }
  const moveTo = (at: number) => {
    const next = Math.max(0, Math.min(entries.length - 1, at))
    setActivePath(entries[next]?.path)
    virtual.scrollToIndex(next, { align: 'auto' })
    grid.current?.focus({ preventScroll: true })
  }
  const keys = useGridKeys(grid, {
    move: (step) => moveTo(active + step),
    first: () => moveTo(0),
    last: () => moveTo(entries.length - 1),
    open: () => entries[active] && onOpen(entries[active]),
    up: onUp,
    choose: (isRange) => {
      const entry = entries[active]
      if (entry && coverOf(entry.path) === undefined) choose(entry, isRange)
    },
  })
  const rowId = (at: number) => `${id}-${at}`
  return (
    <TableFrame label={label} isStale={props.isStale} isSingleLine>
      <Table
        ref={grid}
        role="grid"
        tabIndex={0}
        layout="fixed"
        tabularNums
        verticalSpacing={8}
        horizontalSpacing={8}
        className={classes.grid}
        aria-label={label}
        aria-rowcount={total + 1}
        aria-multiselectable
        aria-activedescendant={rowId(active)}
        onKeyDown={keys}
      >
        <Table.Thead>
          <Table.Tr aria-rowindex={1}>
            <Table.Th w={40} scope="col">
              {choosing && (
                <Checkbox
                  size="xs"
                  tabIndex={-1}
                  aria-label="Select all"
                  checked={choosing.state === 'all'}
                  indeterminate={choosing.state === 'some'}
                  onChange={() => choosing.onChange(choosing.state !== 'all')}
                />
              )}
            </Table.Th>
            <Table.Th scope="col">Name</Table.Th>
            {!isNarrow && (
              <>
                <Table.Th w={220} scope="col">
                  Modified
                </Table.Th>
                <Table.Th w={100} ta="right" scope="col">
                  Size
                </Table.Th>
                <Table.Th w={100} scope="col">
                  <span className="visually-hidden">Actions</span>
                </Table.Th>
              </>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={body}>
          {items.map((item, at) => {
            const entry = entries[item.index]
            if (!entry) return null
            const cover = coverOf(entry.path)
            return (
              <Fragment key={item.key}>
                <Room height={item.start - endOf(items[at - 1], virtual.options.scrollMargin)} />
                <Row
                  entry={entry}
                  id={rowId(item.index)}
                  rowIndex={item.index + 2}
                  isNarrow={isNarrow}
                  isActive={item.index === active}
                  isChosen={cover !== undefined || chosen.has(entry.path)}
                  cover={cover}
                  name={props.renderName(entry)}
                  onChoose={(isRange) => choose(entry, isRange)}
                  onActivate={() => setActivePath(entry.path)}
                  onOpen={() => onOpen(entry)}
                />
              </Fragment>
            )
          })}
          <Room height={virtual.getTotalSize() - endOf(items.at(-1), virtual.options.scrollMargin)} />
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}

const endOf = (item: VirtualItem | undefined, margin: number) => item?.end ?? margin

/** In place of rows that are out of view. */
function Room({ height }: { height: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden>
      <td colSpan={5} className={classes.room} style={{ height }} />
    </tr>
  )
}

interface RowProps {
  entry: BackedUpEntry
  id: string
  rowIndex: number
  isNarrow: boolean
  isActive: boolean
  isChosen: boolean
  /** The chosen folder that it is in. */
  cover: string | undefined
  name: ReactNode
  onChoose: (isRange: boolean) => void
  onActivate: () => void
  onOpen: () => void
}

function Row({ entry, id, rowIndex, isNarrow, isActive, isChosen, cover, name, ...does }: RowProps) {
  const { type, size, modifiedAt } = entry
  const date = modifiedAt === null ? dash : exactTime(modifiedAt)
  const amount = type === 'folder' ? null : bytes(size)
  const openUnlessOnControl = (event: MouseEvent<HTMLElement>) => {
    does.onActivate()
    if (!event.defaultPrevented && !(event.target as Element).closest('a, button, input, label')) does.onOpen()
  }
  return (
    <Table.Tr
      id={id}
      aria-rowindex={rowIndex}
      aria-selected={isChosen}
      data-active={isActive || undefined}
      data-clickable
      onClick={openUnlessOnControl}
    >
      <Table.Td>
        <label className={classes.touch} title={cover && `Part of ${nameOf(cover)}`}>
          <input
            type="checkbox"
            tabIndex={-1}
            className={classes.box}
            data-selects-row
            aria-label={`Select ${entry.name}`}
            checked={isChosen}
            disabled={cover !== undefined}
            onChange={({ nativeEvent }) => does.onChoose(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
          />
        </label>
      </Table.Td>
      <Table.Td>
        <span className={classes.name}>
          <EntryIcon type={type} />
          <span className={classes.words}>
            <span className={classes.ellipsis} title={entry.name}>
              {name}
            </span>
            {isNarrow && <span className={classes.second}>{[amount, date].filter(Boolean).join(' · ')}</span>}
          </span>
        </span>
      </Table.Td>
      {!isNarrow && (
        <>
          <Table.Td c="dimmed">{date}</Table.Td>
          <Table.Td ta="right">{amount}</Table.Td>
          <Table.Td ta="right">
            {type !== 'folder' && (
              <Button
                variant="subtle"
                size="compact-xs"
                tabIndex={-1}
                aria-label={`Versions of ${entry.name}`}
                onClick={does.onOpen}
              >
                Versions
              </Button>
            )}
          </Table.Td>
        </>
      )}
    </Table.Tr>
  )
}
