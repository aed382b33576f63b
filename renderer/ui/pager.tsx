import { Group, Pagination, Select, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { afterPaint } from '../lib/after-paint.ts'
import { count, plural } from '../lib/format.ts'
import { mountedWhenOpen } from './filter-select.tsx'
import { renderFocusableButton } from './focusable-button.tsx'

interface Props {
  page: number
  limit: number
  total: number
  /** Singular noun, such as `device`. */
  what: string
  /** Irregular plural. */
  many?: string
  /** Without a number for the first page, which stays out of the URL. */
  onPage: (page?: number) => void
  onLimit?: (limit: number) => void
}

const sizes = ['25', '50', '100']

export function Pager({ page, limit, total, what, many = `${what}s`, onPage, onLimit }: Props) {
  const pages = Math.max(1, Math.ceil(total / limit))
  // The page that was asked for is marked at once: to begin to load it takes a slow computer several pictures.
  const [asked, setAsked] = useState<number | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page has been turned, or something else was asked for
  useEffect(() => setAsked(null), [page])
  const turnTo = (next: number) => {
    setAsked(next)
    afterPaint(() => onPage(next > 1 ? next : undefined))
  }
  const first = (page - 1) * limit + 1
  return (
    <Group justify="space-between" mt="sm" gap="sm" component="nav" aria-label={`Pages of ${many}`}>
      <Text size="sm" c="dimmed" className="nums" aria-live="polite">
        {total > limit && `${count(first)}–${count(Math.min(total, page * limit))} of `}
        {plural(total, what, many)}
      </Text>
      <Group gap="sm">
        {onLimit && total > 25 && (
          <Select
            aria-label="Rows per page"
            size="xs"
            w={112}
            data={sizes.map((value) => ({ value, label: `${value} a page` }))}
            value={String(limit)}
            onChange={(value) => value && onLimit(Number(value))}
            allowDeselect={false}
            comboboxProps={mountedWhenOpen}
          />
        )}
        {pages > 1 && (
          <Pagination
            size="sm"
            total={pages}
            value={asked ?? page}
            onChange={turnTo}
            siblings={1}
            getControlProps={(control) => ({ 'aria-label': `${control} page`, renderRoot: renderFocusableButton })}
            getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
          />
        )}
      </Group>
    </Group>
  )
}
