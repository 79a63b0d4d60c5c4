"""The words by which messages steer us, both languages side by side. Data only: other modules hold the grammar."""

from __future__ import annotations

import re

from planning.terms import BilingualTerms
from schema import ChunkerName, StrategyName

# --- saving ------------------------------------------------------------------------------------------------------

_into_question = r"(?! [a-z ]{1,30}to (?:the|my|your) (?:query|question|search)(?![a-z]))"
SAVE = BilingualTerms(
    zh="保存|存储|储存|存入|存到|存进|存好|存了|存着|存(?:上|完)|存下来?|收好|收着|存起来|存档|存一?下"
    "|存(?=[到进入好了吧吗,]|$)|收录|收进|收入|录入|录到"
    "|(?:整理|归|并|丢|扔|塞|搬|写)(?:进[去来]?|到(?=库|知识库|资料库|系统))|导入|导进|汇入|载入|上传|上载|传上去|传好"
    "|传到|入库|归档|索引|建立?索引|建一?下索引|加入|加到|加进|添加|放入|放到|放进|纳入|更新|替换|覆盖|同步"
    "|处理|备份|记住|记下来?|收下|吃进去"
    "|重新(?:保存|入库|导入|上传|索引|建立?(?:一下)?索引|处理|收录|生成)|重建(?:索引)?|重新来过?|重做",
    en="(?:be|being|(?:get|have)(?: (?:it|this|these|those|them|everything))?|was|were)"
    " (?:added|saved|stored|indexed|ingested|uploaded|imported|kept|archived"
    "|included)|sav(?:e|ing)|stor(?:e|ing)|index(?:ing)?|ingest(?:ing)?|upload(?:ing)?"
    f"|(?:add|put(?:t(?=ing))?|insert)(?:ing)?{_into_question}"
    "|import(?:ing)?|load(?:ing)?"
    "|keep(?:ing)?|archiv(?:e|ing)|includ(?:e|ing)|re-?(?:sav|stor)(?:e|ing)"
    "|re-?(?:index|ingest|import|upload|load|process|embed|do)(?:ing|ed)?|updat(?:e|ing)|refresh(?:ing)?"
    "|replac(?:e|ing)|overwrit(?:e|ing)|hold on to|hang on to"
    "|(?:fil(?:e|ing)|deposit(?:ing)?|register(?:ing)?|retain(?:ing)?)(?= (?:it|this|these|them|those|the"
    "|my)(?![a-z]))"
    "|(?:tak|read)(?:e|ing)? (?:it|this|these|them|that) in(?! (?:mind|account|[a-z]+ (?:file|document)))"
    "|process(?:ing)?|embed(?:ding)?(?= (?:this|the|my) (?:file|doc|pdf))|memori[sz](?:e|ing)|remember|stash"
    "|rebuild(?:ing)?|backup|back up",
)
CUT = BilingualTerms(  # as a verb: cut into chunks
    zh="重新(?:切成|切分|切片|切割|分块|分段|分割|拆分|切|拆|分)|重切|切分|切片|切割|切块|切成|切为|切开"
    "|切一[切下刀]|切好|切|分块|分片|分段|分割|分成|拆分|拆成|拆|划分|断开|来[分切拆]"
    "|(?<![0-9部十百充得评考打])分(?=\\s*(?:$|,))",
    en="re-?chunk(?:ing|ed)?|re-?(?:split|cut)(?:ting)?|re-?(?:slic|divid)(?:e|ing)|re-?segment(?:ing)?"
    "|chunk(?:ing|ed)?|split(?:ting)?|cut(?:ting)?|slic(?:e|ing)"
    "|chop(?:p(?:ing|ed))?(?: up)?|carv(?:e|ing)(?: up)?|segment(?:ing|ation)?|break(?:ing)?|divid(?:e|ing)"
    "|partition(?:ing)?",
)
CHANGE = BilingualTerms(  # change a stored file's chunking
    zh="换成|换为|改成|改为|改用|换用|调成|调整为|切换(?:到|成|为)?|变成",
    en="switch(?:ing)?|chang(?:e|ing)|convert(?:ing)?|move|set|redo",
)
CHUNK = BilingualTerms(  # as a noun: what a file is cut into
    zh="切片|切块|分块|分片|分段|片段|文本块|窗口|小?块|段落?|片|分割|切分|切割|块",
    en="chunks?|chunking|chunked|chunker|pieces?|slices?|slicing|segments?|segmentation|splits?|splitting|splitter"
    "|blocks?|windows?|windowing|passages?|sections?|parts?|partitioning",
)
THING = BilingualTerms(  # what is saved, when it is not named
    zh="(?:以上|上面|下面|附件(?:里|中)?|刚才|刚刚|新|旧|原来)?的?(?:这|那|该|此|本|两|三|几|多|全|每|所有"
    "|全部|整|一|我|我们|上传){0,6}(?:个|份|些|篇|批|张|本)?的?"
    "(?:markdown|md|txt|pdf|word)?(?:文件|文档|附件|档案|资料|材料|手册|版本|东西)(?:们)?",
    en="files?|documents?|docs?|pdfs?|attachments?|attached|uploads?|notes?|papers?|handbooks?|manuals?"
    "|versions?|texts?|ones?|material|content|stuff",
)
THIS = BilingualTerms(
    zh="这(?:个|份|些|篇|批|几|两|三|俩){0,4}|那(?:个|份|些|篇|批|几|两|三|俩){1,4}|它们?|该|此|附件|刚上传的?"
    "|我?上传的|以上|上面的?|全部|所有的?|都",
    en="it|this|these|those|that|them|both|all|everything|attached|uploaded|my|our|new|here",
)
STORE = BilingualTerms(
    zh="(?:我的?|我们的?)?(?:知识库|数据库|资料库|文档库|文件库|向量库|语料库|文库|库|系统|收藏"
    "|citewise)(?:里面?|中|内|去|里头)?",
    en="library|knowledge base|knowledge-base|kb|database|db|index|vector store|store|collection|corpus|archive"
    "|citewise",
)
EVERY_FILE = re.compile(
    "(?:所有|全部|全体|每(?:一)?(?:个|份)|整个)的?(?:文件|文档|资料|库|知识库|数据库|索引)|(?:文件|文档"
    "|资料)(?:全部|全都)"
    "|(?<![a-z])(?:the |my |our )?(?:all|every|each|whole|entire)(?: of)?(?: the| my| our)?"
    "(?: stored| saved| uploaded| existing)?"
    " (?:files?|documents?|docs?|library|knowledge base|database|index)(?![a-z])|(?<![a-z])everything(?![a-z])"
)

SET = BilingualTerms(  # a document set and nothing else
    zh="(?:文档|资料|文件|知识)集合?", en="document[- ]sets?|doc[- ]sets?|docsets?"
)
GROUP = BilingualTerms(  # what else a document set is called
    zh="集合|合集|目录|文件夹|分类|分组", en="sets?|collections?|folders?|category|categories|group"
)

CHUNKERS: dict[ChunkerName, BilingualTerms] = {
    "semantic": BilingualTerms(
        zh="(?:话题|主题)(?:一换|一变|转换|变化|切换)|[照随跟]着?(?:话题|主题)|语[义意](?:化|法"
        "|相似度?)?(?!检索|搜索|搜寻|查询|查找|搜|查)"
        "|[按依](?:照|着)?(?:句子?|段落?|上下文)?的?(?:意思|句意|文意|段意|含义|内容|话题|主题)(?!来?(?:找|搜"
        "|查|检索|匹配|回答))",
        en="semantic(?:ally)?(?! (?:search|retriev|look))"
        "|(?:by|along) (?:the )?(?:sentence |paragraph |its |their )?(?:meanings?|topics?|semantics|sense|themes?)"
        "|where(?:ver)? (?:the |a )?(?:topic|subject|theme) (?:changes|shifts|ends)"
        "|when(?:ever)? the (?:topic|subject) changes|(?:at|on) (?:every|each|any|a) (?:change|shift"
        "|turn) (?:of|in) (?:the )?(?:subject|topic|theme)|meaning-based|topic-based",
    ),
    "fixed": BilingualTerms(
        zh="固定(?:的?(?:大小|长度|尺寸|字数|窗口|字符数))?|定长|等长|等分|按(?:照)?(?:字数|长度|大小|字符数)"
        "|滑动窗口|滑窗|(?<!就)硬[切拆分](?![碟盘])|一刀切(?=成)|整齐|齐整|切齐|均匀|平均(?=[切分拆])|[一同]样(?:长|大)小?|(?:大小|长度)(?:一致|相同|一样)",
        en="fixed(?:[- ]?(?:sized?|lengths?|width|windows?))?|equal(?:ly)?[- ]?(?:sized?|length)?|uniform"
        "|constant(?:[- ]sized?)?"
        "|sliding[- ]windows?|by (?:length|size|characters?|character count)|same[- ]size|even(?:ly)?"
        "|identical|exactly(?= [0-9,]+ (?:[a-z]+ )?(?:long|each|apiece))"
        "|(?:blocks|pieces|chunks|parts|slices|segments) of exactly",
    ),
    "recursive": BilingualTerms(
        zh="递[归回](?:式|法|字符)?|一层层|逐层|层层|逐级",
        en="recursive(?:ly)?|recursion|finer and finer|getting finer",
    ),
    "markdown": BilingualTerms(
        zh="标题(?:结构|层级|级别|层次)?|结构化?|层级|章节(?:结构)?|大纲|目录(?:结构)?|小节",
        en="markdown(?:[- ]?(?:aware|based|structure|structural|headings?|headers?))?|md(?:[- ](?:aware|based))"
        "|head(?:ing|er)s?"
        "(?:[- ](?:aware|based|structure))?|structur(?:e|al|ed|ally)(?:[- ]?(?:aware|based))?|sections?|outline"
        "|h[1-6]s?|chapters?",
    ),
    "code": BilingualTerms(
        zh="代码(?:结构|语法|逻辑|块)?|源码|源代码|(?:按|以)(?:照)?(?:函数|类|语法|方法)(?:和(?:函数|类"
        "|方法))?|程序结构|函数(?:不要?|别)(?:拆|切)|函数完整",
        en="code(?:[- ]?(?:aware|based|structure|structural))?|source[- ]code|syntax(?:[- ]?(?:aware|based))?"
        "|ast(?:[- ]based)?|(?:by|along|at) (?:the |its )?(?:functions?|class(?:es)?|methods?)"
        "|keep(?:ing)? (?:the |every |each |all )?(?:func(?:tion)?|method|class)(?:e?s)? (?:whole|intact"
        "|together|in one piece)",
    ),
}
WEAK_CHUNKERS = {
    "markdown",
    "code",
}  # their names are everyday words: they need a chunk word or "by", "with" beside them
STRONG_FORMS = re.compile(r"(?:aware|based|structural)$|^(?:by|along) ")

SIZE = BilingualTerms(
    zh="大小|尺寸|长度|[块片段]长|字数|字符数|最大|最长|最多|上限|至多|(?:不[要能得可]?|别)(?:超过|大于|多于)|以内|封顶",
    en="chunk[_ -]?size|chunk[_ -]?length|size[ds]?|length|max(?:imum)?|limit|at most|up to|no (?:more|longer"
    "|larger) than|under|below|within|cap(?:ped)?(?: (?:it|them|each))? at",
)
OVERLAP = BilingualTerms(
    zh="重叠|重合|交叠|重复|交集|相交|(?:互相|相互|彼此|前后|首尾)(?:压|搭)(?:着|上)?",
    en="chunk[_ -]?overlap|overlaps?|overlapping|overlapped|in common",
)
NO_OVERLAP = re.compile(
    r"(?:不要|不需要|不用|没有|无需|无|不|别|零)(?:有|任何|带|留|互相|相互|彼此)?(?:重叠|重合|交叠|重复|相交"
    r"|交叉|叠(?!加)|重(?![新要点大视启试构组建设]))"
    r"|互不(?:重叠|重复|相交|交叉)|首尾相接|重叠(?:部分)?[\s:=为是设]{0,3}(?:零|0(?![\d.]))(?!\d)"
    r"|重叠(?:部分)?[\s:=为是设]{0,3}(?:不[要用]|不需要|没必要|免了|省[了掉]|取消|关掉|去掉|无(?!法)|没有)"
    r"|(?:取消|去掉|省[去掉]|免去|关掉|避免|禁止)(?:任何|所有)?(?:重叠|重合|交叠|重复)"
    r"|(?<![a-z])(?:no|w/o|without(?: any)?|zero|non|don'?t|do not|not|never)[- ](?:chunk )?(?:overlap(?:ping|s)?"
    r"|repetitions?|repeat(?:ing|ed)?(?: (?:text|words|anything))?|shared? (?:text|words|characters|anything)|sharing"
    r"|duplication)(?![a-z])|(?<![a-z])(?:nothing|no text|no words) (?:shared|repeated|in common)(?![a-z])"
    r"|(?<![a-z])(?:none of (?:the|them|these)(?: [a-z]+)?|no (?:two )?(?:chunks?|pieces?|parts?|blocks?))"
    r"(?: (?:should|must|may|can|to|shall|will))? (?:overlap|repeat|share)(?:s|ping)?(?: anything| text)?(?![a-z])"
    r"|(?<![a-z])(?:disjoint|back to back|end to end|edge to edge|without repeating(?: anything)?)(?![a-z])"
    r"|(?<![a-z])overlap[\s:=]{1,3}none(?![a-z])"
    r"|(?<![a-z])(?:(?:don'?t|do not|never) (?:let|have|make) (?:[a-z]+ ){1,3}|(?:must|should|may|shall|do|can|need)"
    r" ?n[o']t )(?:overlap|repeat|share)(?![a-z])"
    r"|(?<![a-z])shar(?:e|es|ing) nothing(?![a-z])"
    r"|(?<![a-z])none of (?:it|the text|this) (?:is |being )?(?:repeated|shared)"
    r"|(?<![a-z])(?:skip|drop|omit|forget|leave out|ditch|lose|avoid|(?:turn|switch) off|disable|(?:don'?t|do not)"
    r" (?:need|want|use))(?: the| any| an| all)? (?:chunk )?overlap(?:ping|s)?(?![a-z]| (?:of|by|with|between))"
    r"|(?<![a-z])overlap(?:[\s:=]{1,3}| is )(?:off|out|nil|unnecessary|unwanted"
    r"|not (?:needed|necessary|required|wanted))(?![a-z])"
)
UNIT = BilingualTerms(
    zh="个?(?:汉字|字符|字元|字|词元|单词|词|tokens?|words?)", en="characters?|chars?|ch|tokens?|letters?|words?|c"
)
NOT_A_SIZE = re.compile(
    r"\s?(?:个?(?:文件|文档|附件)|份|篇|页|章|节|年|月|日|号|点|本|次|元|种|条|分钟|小时|天|files?|documents?"
    r"|docs?|pages?|times|mb|kb|gb|st"
    r"|nd|rd|th)"
)

# --- asking ------------------------------------------------------------------------------------------------------

STRATEGIES: dict[StrategyName, BilingualTerms] = {
    "hybrid": BilingualTerms(
        zh="混合(?:式|型)?|融合|[双多]路|(?:bm25\\s?[+加]\\s?)?(?:重排序?|精排|re-?rank)|bm25\\s?\\+\\s?(?:向量|faiss)"
        "|(?:关键[词字](?:检索|搜索)?\\s?(?:加上?|和|与|跟|结合|\\+)\\s?(?:向量|语义)"
        "|(?:向量|语义)(?:检索|搜索)?\\s?(?:加上?|和|与|跟|结合|\\+)\\s?关键[词字])(?:检索|搜索)?(?:相?结合"
        "|混合|融合|一起|一块儿?|同时|并用)?",
        en="hybrid|fusion|fused|mixed|combined"
        "|(?:bm25(?:[- ]?| ?(?:\\+|and|plus) ?))?re-?rank(?:er|ing)?|cross-?encoders?"
        "|bm25 ?(?:\\+|and|plus) ?(?:vectors?|faiss|embeddings?|dense)"
        "|(?:keywords?|lexical) ?(?:\\+|and|plus) ?(?:vectors?|semantic)|(?:vectors?|semantic) ?(?:\\+|and"
        "|plus) ?(?:keywords?|lexical)",
    ),
    "hyde": BilingualTerms(
        zh="假设性?(?:的)?(?:文档|答案|回答)(?:嵌入)?|假想(?:性)?文档|虚拟文档",
        en="hyde|hypothetical(?:[- ](?:documents?|answers?|doc))?(?: embeddings?)?",
    ),
    "rm3": BilingualTerms(zh="伪相关(?:性)?反馈|盲反馈|rm3", en="rm3|(?:pseudo|blind)[- ](?:relevance[- ])?feedback"),
    "abstract": BilingualTerms(zh="摘要|概要|文摘", en="abstracts?|abstract-based|summary-based|summary|summaries"),
    "keyword": BilingualTerms(
        zh="关键[词字]|全文|词法|精确(?:匹配)?|字面|稀疏",
        en="keywords?(?:[- ]based)?|key words?|bm25|full-?text|full text|lexical|sparse|exact[- ]match(?:ing)?"
        "|(?:literal|verbatim|exact)(?=[- ](?:search|look-?up|match|retrieval))",
    ),
    "vector": BilingualTerms(
        zh="向量|语[义意]|稠密|嵌入|相似度",
        en="vectors?(?:[- ]based)?|semantic|dense|embeddings?(?:[- ]based)?|faiss[- ]?bert|faiss|similarity",
    ),
    "default": BilingualTerms(zh="默认|预设|缺省|标准", en="default|standard"),
}
OWN_NAMES = re.compile(
    r"hyde|rm3|pseudo[- ]relevance[- ]feedback|伪相关(?:性)?反馈"
    r"|(?:bm25(?:[- ]?|\s?[+加]\s?| (?:and|plus) ))?re-?rank(?:er|ing)?"
    r"|(?:bm25\s?[+加]\s?)?(?:重排序?|精排)|cross-?encoders?|faiss[- ]?bert"
    r"|bm25|faiss"
    r"|hypothetical[- ](?:documents?|answers?)(?: embeddings?)?|假设性?(?:的)?文档"
)  # never everyday words
RETRIEVAL = BilingualTerms(
    zh="检索|搜索|搜寻|查询|查找|召回|匹配|搜|查",
    en="search(?:es|ing)?|retriev(?:al|er|e|ing)|look-?ups?|matching|similarity|ranking|quer(?:y|ies)|index",
)
MANNER = BilingualTerms(
    zh="的?(?:方式|方法|策略|模式|办法|手段|技术|功能|算法)",
    en="strategy|mode|method|approach|technique|setting|option|algorithm|way",
)
FIND = BilingualTerms(
    zh="查找|查询|查阅|查一查|查查|查出|查看|查|检索|搜索|搜寻|搜一搜|搜搜|搜|找找|找出|找到|寻找|找|看看"
    "|看一看|看|回答|作答|答|说明|了解|获取|读取",
    en="search|look(?: up)?|find(?: out)?|check|answer|retrieve|query|see|tell me|get|read|seek",
)
META = BilingualTerms(  # what is asked about a method: a message made of these alone asks about it
    zh="好处|坏处|优缺点|优点|缺点|优势|劣势|区别|差别|不同|原理|作用|效果|意义|意思|含义|定义|概念|介绍|解释"
    "|适合|适用|更?[好快准慢差]|怎么[样用]?|如何"
    "|实现|使用|工作|参数|公式|算法|论文|流程|步骤|性能|速度|场景|情况|支持|推荐|建议|选择?|比较|对比|相比|问题"
    "|技术|方法|方式|策略|模式|系统|模型|东西|时候|叫|简单|详细",
    en="mean(?:s|ing)?|work(?:s|ing)?|differ(?:s|ence|ences|ent)?|better|best|worse|good|bad|pros|cons"
    "|advantages?|disadvantages?|benefits?"
    "|drawbacks?|limitations?|definition|define|explain|describe|compare[ds]?|comparison|versus|vs|example"
    "|examples|use|used|using|implement(?:ed|ation)?"
    "|choose|prefer|recommend(?:ed)?|suitable|slow|fast|faster|slower|accurate|supported?|supports?|point|purpose"
    "|idea|instead|rather|faqs?|overview"
    "|basics|introduction|tutorial|algorithm|parameters?|technique|concept|approach|strategy|method|mode|stand"
    "|stands|called|performance",
)
ASKING = BilingualTerms(
    zh="什么|怎么样?|怎样|如何|为什么|为何|为啥|哪个?|哪些|哪里|谁|多少|几|是不是|有没有|是否|还是|而不是",
    en="what|what's|how|why|who|when|where|which|whether|should|does|do|is|are",
)
CONTENT_VERB = BilingualTerms(  # an order to answer: what follows is content
    zh="告诉|总结|概括|归纳|概述|解释|介绍|说明|描述|列出|列一?[下列]|列举|罗列|对比|比较|翻译|分析|讲讲"
    "|讲一[讲下]|说说|说一[说下]|谈谈|评价|提取|摘录|找出|找找|找一[找下]|找到|查找"
    "|查询|查一[查下]|查查|查|检索|搜索|搜一[搜下]|搜|看看|看一[看下]|看|问(?![题卷责])|回答|计算|算一?算|推荐"
    "|整理|梳理|简述|阐述|给我|给出|提炼|读一[读下]|指出|写|解读|解析|点评|评估|审阅"
    "|检查|核对|讲解|复述|判断|挑出|筛选|统计|数一数|生成|画|做个|帮我做|了解|读取",
    en="tell|summari[sz]e|explain|describe|list|compare|translate|analy[sz]e|outline|find|search|look|show|give"
    "|answer|extract|identify|name"
    "|define|discuss|highlight|point out|check|see|quote|calculate|recap|walk|read|help me understand|remind"
    "|clarify|review|ask|draft|write|elaborate|tldr",
)

# --- the web -----------------------------------------------------------------------------------------------------

WEB = BilingualTerms(
    zh="(?:上|连|联)个?网|(?<![a-z])web上|互联网上?|因特网上?|网络上?|网上|网页上?|线上|在线|外网|全网",
    en="(?:the |on the )?(?:web|internet|net|world wide web)|online|google|bing|duckduckgo|wikipedia online",
)
ENGINE = BilingualTerms(zh="百度|谷歌|必应|搜狗|google|bing", en="google|bing|duckduckgo|ddg")
WEB_FIND = BilingualTerms(
    zh="搜索|搜寻|搜一搜|搜搜|搜|检索|查询|查找|查一查|查查|查|找找|找一找|寻找|找|看看|看一看|看|了解|获取|核实|确认",
    en="search|(?:have|take) a (?:quick )?(?:look|peek)|look|check|browse|scan"
    "|scour|query|use|using|consult|surf|go|find|via|with|from|through|try|explore",
)
VISIT = BilingualTerms(  # to bring a page; what is wanted of it is said elsewhere
    zh="(?:重新|再次)(?:抓取|爬取|读取|采集|下载|打开|访问|读|抓|爬)(?:一[遍次下])?|刷新"
    "|抓取|抓(?:下来|过来|回来)|抓一[抓下]|抓|爬取|爬一下|爬|采集|下载|打开|访问|浏览|进入|点开|读取|阅读"
    "|读一?[读下]|读|获取|拉取|看一?[看下]|查看|看|查一?[查下]|查|参考|参照|去|上",
    en="(?:re-?)?(?:fetch|crawl)|re-?read|refresh|reload|scrape"
    "|get|grab|pull(?: in| down)?|download|retrieve|load|read(?: through| over)?|open(?: up)?"
    "|visit|browse(?: to)?|go (?:to|through)|head (?:over )?to|navigate to|(?:(?:have|take) a )?(?:quick )?look"
    " (?:at|through|on|in)|see|view|check(?: out)?|use|using|consult|scan|skim|access|follow|search|visit and read",
)

# --- managing the library: done on the page, not by a message ------------------------------------------------------

DELETE = BilingualTerms(
    zh="删除|删掉|删去|删|移除|清空|清除|清掉|去掉|丢掉|扔掉|重命名|改名",
    en="delete|remove|erase|clear|purge|drop|wipe|get rid of|rename|empty|unload",
)
LIST = BilingualTerms(
    zh="列出来?|列一下|列表|显示|展示|查看|看看|看一下|看|有哪些|有什么|有啥|有多少|哪些|多少|几|清单|存了|保存了"
    "|上传了|上传过",
    en="list|show|display|what|which|how many|view|see|give|is there|are there|do i have|have i|did i|have|there|print",
)
