interface Page<Row> {
  data: Row[]
  pagination: { limit: number; total: number }
}

/** Every row of a paged list; for lists a person chooses from, which are short next to what they hold. */
export async function allPages<Row>(readPage: (page: number) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await readPage(page)
    rows.push(...data)
    if (data.length === 0 || page * pagination.limit >= pagination.total) return rows
  }
}
