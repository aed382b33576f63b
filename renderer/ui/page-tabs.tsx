import { Tabs } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useOfferActions } from '../lib/page-actions.ts'
import { useTabInView } from './use-tab-in-view.ts'

export interface PageTab<Value extends string> {
  value: Value
  label: string
  content: ReactNode
  /** Input stays while another tab is open. */
  keepsInput?: boolean
}

interface Props<Value extends string> {
  tabs: readonly PageTab<Value>[]
  open: Value
  onOpen: (value: Value) => unknown
}

/** The tabs of a page; the search dialog offers those that are not open. */
export function PageTabs<Value extends string>({ tabs, open, onOpen }: Props<Value>) {
  const list = useTabInView(open)
  useOfferActions(
    tabs
      .filter(({ value }) => value !== open)
      .map(({ value, label }) => ({
        label,
        alias: 'Tab',
        isLink: true,
        Icon: IconArrowRight,
        run: () => onOpen(value),
      })),
  )
  return (
    <Tabs
      value={open}
      onChange={(next) => {
        const tab = tabs.find(({ value }) => value === next)
        if (tab) onOpen(tab.value)
      }}
      keepMounted={false}
      keepMountedMode="display-none"
    >
      <Tabs.List ref={list} mb="md">
        {tabs.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value} data-tab={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, content, keepsInput = false }) => (
        <Tabs.Panel key={value} value={value} keepMounted={keepsInput}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
