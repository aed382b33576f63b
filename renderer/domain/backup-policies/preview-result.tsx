import { Button, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { BackupPreview } from '../../../shared/device/backup-preview.ts'
import { bytes, count, plural } from '../../lib/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { treeOf } from './preview-tree.ts'
import classes from './try-on-device.module.css'

const shownFirst = 12
const shownExamples = 5

/** It appears below the fold of the dialog. */
const show = (result: HTMLElement | null) => result?.scrollIntoView({ block: 'start' })

/** What a backup of the device would read, and what not. */
export function PreviewResult({ found }: { found: BackupPreview }) {
  const { files, bytes: size, folders, isWhole, missing, unreadable } = found
  return (
    <Stack ref={show} gap="sm" role="status" style={{ scrollMarginBlock: '5rem' }}>
      <Text size="sm" fw={600}>
        {`${isWhole ? '' : 'At least '}${plural(files, 'file')}, ${bytes(size)}, in ${plural(folders, 'folder')}`}
      </Text>
      {!isWhole && (
        <Text size="sm" c="dimmed">
          There is more: the device stopped looking when its time was up. A backup reads all of it.
        </Text>
      )}
      {missing.length > 0 && (
        <Notice tone="warn" title="Not on this device">
          <Paths paths={missing} />
        </Notice>
      )}
      {files > 0 && <Largest found={found} />}
      <LeftOut leftOut={found.leftOut} />
      {unreadable.count > 0 && (
        <Notice tone="warn" title={`${plural(unreadable.count, 'file or folder', 'files and folders')} can’t be read`}>
          <Paths paths={unreadable.examples.map(({ path }) => path)} more={unreadable.count} />
        </Notice>
      )}
    </Stack>
  )
}

function Paths({ paths, more = paths.length }: { paths: readonly string[]; more?: number }) {
  const hidden = more - Math.min(shownExamples, paths.length)
  return (
    <List size="sm" listStyleType="none">
      {paths.slice(0, shownExamples).map((path) => (
        <List.Item key={path} className="mono" style={{ overflowWrap: 'anywhere' }}>
          {path}
        </List.Item>
      ))}
      {hidden > 0 && <List.Item>{`${count(hidden)} more`}</List.Item>}
    </List>
  )
}

function Largest({ found }: { found: BackupPreview }) {
  const [isAll, setAll] = useState(false)
  const rows = treeOf(found, isAll ? found.largest.length : shownFirst)
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        Largest folders
      </Text>
      <ul className={classes.tree}>
        {rows.map(({ path, name, depth, bytes: size, files, share }) => (
          <li key={path} className={classes.row} style={{ paddingInlineStart: `${depth * 16}px` }}>
            <span className={classes.name} title={path}>
              {name}
            </span>
            <span className={classes.bar} aria-hidden>
              <span style={{ width: `${Math.max(1, share)}%` }} />
            </span>
            <span className={classes.size} title={plural(files, 'file')}>
              {bytes(size)}
            </span>
          </li>
        ))}
      </ul>
      {found.largest.length > rows.length && (
        <Button variant="subtle" size="compact-xs" ml={-6} onClick={() => setAll(true)}>
          {`Show ${found.largest.length - rows.length} more`}
        </Button>
      )}
    </div>
  )
}

function LeftOut({ leftOut }: Pick<BackupPreview, 'leftOut'>) {
  const used = leftOut.filter((one) => one.count > 0).toSorted((a, b) => b.count - a.count)
  const unused = leftOut.filter((one) => one.count === 0)
  if (leftOut.length === 0) return null
  if (used.length === 0) return <Text size="sm">Nothing is left out.</Text>
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        Left out
      </Text>
      <List size="sm" listStyleType="none" spacing={2}>
        {used.map((one) => (
          <List.Item key={one.pattern} style={{ overflowWrap: 'anywhere' }}>
            <span className="mono">{one.pattern}</span>
            {`: ${one.count === 1 ? '' : `${count(one.count)} times, like `}`}
            <span className="mono">{one.example}</span>
          </List.Item>
        ))}
      </List>
      {unused.length > 0 && (
        <Text size="xs" c="dimmed" mt={2} style={{ overflowWrap: 'anywhere' }}>
          {`Not on this device: ${unused.map(({ pattern }) => pattern).join(', ')}`}
        </Text>
      )}
    </div>
  )
}
