import { expect, test } from 'vitest'
import { SelectionStore } from './selection-store.ts'

const rows = (...ids: number[]) => ids.map((id) => ({ id }))
const storeWith = (...ids: number[]) => {
  const store = new SelectionStore<{ id: number }>(({ id }) => id)
  store.show(rows(...ids), true)
  return store
}
const [one] = rows(1)
const idsIn = (store: SelectionStore<{ id: number }>) => {
  const { here, elsewhere } = store.selected()
  return { here: here.map(({ id }) => id), elsewhere: elsewhere.map(({ id }) => id) }
}

test('a click selects and deselects, and with Shift all rows since the one before', () => {
  const store = storeWith(1, 2, 3, 4)
  store.click({ id: 1 }, false)
  store.click({ id: 3 }, true)
  expect(idsIn(store)).toEqual({ here: [1, 2, 3], elsewhere: [] })
  expect(store.shownState()).toBe('some')
  store.click({ id: 2 }, false)
  expect(idsIn(store).here).toEqual([1, 3])
  store.selectShown(true)
  expect(store.shownState()).toBe('all')
})

test('rows stay selected while another page is shown, and are shown as selected when they are back', () => {
  const store = storeWith(1, 2)
  store.click({ id: 1 }, false)
  store.show(rows(3, 4), true)
  store.click({ id: 4 }, false)
  expect(idsIn(store)).toEqual({ here: [4], elsewhere: [1] })
  store.show(rows(1, 2), true)
  expect(idsIn(store)).toEqual({ here: [1], elsewhere: [4] })
  expect(one && store.has(one)).toBe(true)
})

test('where only shown rows can be selected, the others are let go', () => {
  const store = storeWith(1, 2)
  store.selectShown(true)
  store.show(rows(2, 3), false)
  expect(idsIn(store)).toEqual({ here: [2], elsewhere: [] })
  store.show(rows(1), false)
  expect(idsIn(store)).toEqual({ here: [], elsewhere: [] })
})

test('listeners are told of changes, and clearing nothing is none', () => {
  const store = storeWith(1)
  let calls = 0
  const stop = store.subscribe(() => calls++)
  store.clear()
  store.show(rows(2), true)
  expect(calls).toBe(0)
  store.click({ id: 2 }, false)
  store.show([...store.selected().here], true)
  expect(calls).toBe(1)
  store.clear()
  expect(calls).toBe(2)
  stop()
  store.click({ id: 2 }, false)
  expect(calls).toBe(2)
})
